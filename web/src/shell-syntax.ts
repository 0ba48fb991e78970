/** Scripts as just-bash parses them, mended before they run where its parser or its interpreter goes wrong. */

/** A node of the syntax tree. just-bash publishes no types for it. */
export interface SyntaxNode {
  type: string;
  [property: string]: unknown;
}

export interface Script extends SyntaxNode {
  statements: SyntaxNode[];
}

export interface Mending {
  /** Returns a script that is mended already. */
  parse(source: string): Script;
  /** Keep a statement that ends with `&`; returns the command that starts it. */
  background(statement: SyntaxNode): string[];
}

/** Commands under other names than a script calls them by, as builtins cannot be replaced. */
export const RENAMED: Record<string, string> = { wait: "__wait" };

/** `$!` reads this variable. */
export const LAST_JOB = "__last_job";

/** A descriptor that no script uses. */
const PROBE = 250;

/** Return a copy of a script, or of a part of one, that does what bash would do. */
export function mend<T>(part: T, mending: Mending): T {
  if (Array.isArray(part)) return part.map((each) => mend(each, mending)) as T;
  if (typeof part !== "object" || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, mend(value, mending)]));
  if (Array.isArray(copy.redirections)) copy.redirections = copy.redirections.flatMap(probed);
  return (typeof copy.type === "string" ? mended(copy as SyntaxNode, mending) : copy) as T;
}

function mended(node: SyntaxNode, mending: Mending): SyntaxNode {
  switch (node.type) {
    case "Statement":
      return node.background ? inBackground(node, mending) : node;
    case "For":
      return node.words === null ? { ...node, words: [word(ALL_ARGUMENTS)] } : node;
    case "SimpleCommand":
      return renamed(split(node));
    case "ParameterExpansion":
      return node.parameter === "!" ? { ...node, parameter: LAST_JOB } : node;
    case "ArithmeticExpansion":
      return expansionWithCommands(node, mending);
    case "ArithmeticCommand":
      return commandWithCommands(spaced(node), mending);
    default:
      return node;
  }
}

/** just-bash runs `command &` to its end before it goes on. */
function inBackground(statement: SyntaxNode, { background }: Mending): SyntaxNode {
  const [name = "", ...args] = background({ ...statement, background: false });
  const start = command(name, args);
  return { ...statement, background: false, operators: [], pipelines: [pipeline(start)] };
}

/**
 * A file that cannot be opened for output ends the whole script, except at a descriptor of its own: so it is opened
 * there first. Names that come of commands are left alone, as they would be asked for twice.
 */
function probed(redirection: SyntaxNode): SyntaxNode[] {
  const { fd, operator, target } = redirection;
  const standard = fd === null || fd === 1 || fd === 2;
  const opens = [">", ">>", ">|", "&>", "&>>"].includes(String(operator));
  const plain = partsOf(target).every(
    (part) => !/"type":"(Command|Arith|Process)/.test(JSON.stringify(part)),
  );
  if (!standard || !opens || !plain) return [redirection];
  return [{ ...redirection, fd: PROBE, operator: ">>" }, redirection];
}

/** `$command` is not split into words where it names what to run; the arguments of `command` are. */
function split(node: SyntaxNode): SyntaxNode {
  const [first, second] = partsOf(node.name);
  if (first?.type !== "ParameterExpansion" || second || first.operation) return node;
  if (!/^[A-Za-z_]\w*$/.test(String(first.parameter)) || (node.assignments as unknown[]).length) return node;
  return { ...node, name: word(literal("command")), args: [node.name, ...(node.args as unknown[])] };
}

function renamed(node: SyntaxNode): SyntaxNode {
  const [first, second] = partsOf(node.name);
  const name = first?.type === "Literal" && !second ? RENAMED[String(first.value)] : undefined;
  return name ? { ...node, name: word(literal(name)) } : node;
}

/** `((a<=b))` is misread without blanks around the operator. `let` reads it well. */
function spaced(node: SyntaxNode): SyntaxNode {
  const expression = node.expression as SyntaxNode;
  if (!JSON.stringify(expression).includes("ArithSyntaxError")) return node;
  const text = String(expression.originalText).replace(/\s*([<>=!])\s*=\s*/g, " $1= ");
  return { ...command("let", [text]), redirections: node.redirections, line: node.line };
}

/** Commands in an arithmetic expression see neither functions nor variables; those in an assignment do. */
function expansionWithCommands(node: SyntaxNode, mending: Mending): SyntaxNode {
  const hoisted = hoist(node.expression as SyntaxNode);
  if (!hoisted) return node;
  const body = mending.parse(`${hoisted.assignments}echo $((${hoisted.text}))`);
  return { type: "CommandSubstitution", legacy: false, body };
}

function commandWithCommands(node: SyntaxNode, mending: Mending): SyntaxNode {
  const hoisted = node.type === "ArithmeticCommand" && hoist(node.expression as SyntaxNode);
  if (!hoisted) return node;
  const body = mending.parse(`${hoisted.assignments}((${hoisted.text}))`).statements;
  return { type: "Group", body, redirections: node.redirections };
}

function hoist(expression: SyntaxNode): { assignments: string; text: string } | undefined {
  let text = String(expression.originalText ?? "");
  let assignments = "";
  for (const [index, inner] of commandsIn(expression).entries()) {
    const source = [`$(${inner})`, `\`${inner}\``].find((each) => text.includes(each));
    if (!source) return undefined;
    assignments += `__value${index}=$(${inner}); `;
    text = text.replace(source, () => `__value${index}`);
  }
  return assignments ? { assignments, text } : undefined;
}

function commandsIn(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  const node = part as SyntaxNode;
  return node.type === "ArithCommandSubst" ? [String(node.command)] : Object.values(node).flatMap(commandsIn);
}

function partsOf(name: unknown): SyntaxNode[] {
  return ((name as { parts?: SyntaxNode[] } | null)?.parts ?? []) as SyntaxNode[];
}

const ALL_ARGUMENTS = {
  type: "DoubleQuoted",
  parts: [{ type: "ParameterExpansion", parameter: "@", operation: null }],
};

function literal(value: string): SyntaxNode {
  return { type: "Literal", value };
}

function word(part: SyntaxNode): SyntaxNode {
  return { type: "Word", parts: [part] };
}

function command(name: string, args: string[]): SyntaxNode {
  const quoted = args.map((value) => word({ type: "SingleQuoted", value }));
  return {
    type: "SimpleCommand",
    name: word(literal(name)),
    args: quoted,
    assignments: [],
    redirections: [],
  };
}

function pipeline(only: SyntaxNode): SyntaxNode {
  return { type: "Pipeline", commands: [only], negated: false, timed: false, timePosix: false };
}
