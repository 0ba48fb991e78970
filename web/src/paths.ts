/** Paths below a root, without a slash at their start; the root itself is the empty one. */

export function join(parent: string, name: string): string {
  return parent ? `${parent}/${name}` : name;
}

export function dirname(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
