/** Style sheets are imported for esbuild to collect into app.css. */
declare module "*.css";
