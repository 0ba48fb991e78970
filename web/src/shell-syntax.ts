/** Scripts as just-bash parses them, mended before they run where its parser or its interpreter goes wrong. */

/** A node of the syntax tree. just-bash publishes no types for it. */
export interface SyntaxNode {
  type: string;
  [property: string]: unknown;
}

export interface Script extends SyntaxNode {
  statements: SyntaxNode[];
  /** Whether its output is what it is run for: `$(...)`. */
  captured?: boolean;
}

/** The type of an expression that is kept as text, for our own arithmetic. */
export const ARITHMETIC_TEXT = "ArithText";

/** Parts of scripts are parsed on their own, and then met again as parts of others. */
const done = new WeakSet<object>();

/** Change a tree so that it does what bash would do. */
export function mend<T extends object>(part: T): T {
  if (done.has(part)) return part;
  done.add(part);
  for (const value of Object.values(part)) if (typeof value === "object" && value !== null) mend(value);
  if (!Array.isArray(part)) mendNode(part as unknown as SyntaxNode);
  return part;
}

function mendNode(node: SyntaxNode): void {
  switch (node.type) {
    case "For":
      node.words ??= [word(ALL_ARGUMENTS)];
      break;
    case "SimpleCommand":
      split(node);
      break;
    case "ParameterExpansion":
      for (const each of partsOf((node.operation as SyntaxNode | null)?.replacement)) each.replacing = true;
      break;
    case "CommandSubstitution":
    case "ProcessSubstitution":
      (node.body as Script).captured = true;
      break;
    case "ArithmeticExpression":
      if (typeof node.originalText === "string")
        node.expression = { type: ARITHMETIC_TEXT, text: node.originalText };
  }
}

/**
 * Where a variable names what to run, it is not split into words, and of a list only the whole is taken; the arguments
 * of a command are well.
 */
function split(node: SyntaxNode): void {
  const [first, second] = partsOf(node.name);
  if (!first || second || (node.assignments as unknown[]).length) return;
  const [inner, more] = first.type === "DoubleQuoted" ? (first.parts as SyntaxNode[]) : [first];
  if (inner?.type !== "ParameterExpansion" || more) return;
  const list = /^@$|\[@\]$/.test(String(inner.parameter));
  const plain = first === inner && !inner.operation && /^[A-Za-z_]\w*$/.test(String(inner.parameter));
  if (!list && !plain) return;
  node.args = [node.name, ...(node.args as unknown[])];
  node.name = word(literal("__run"));
}

/** The words of a simple command that stand there as they are; undefined for others. */
export function literalWords(node: SyntaxNode): (string | undefined)[] {
  return [node.name, ...((node.args as unknown[]) ?? [])].map((each) => {
    const parts = partsOf(each);
    const texts = parts.map(textOf);
    return parts.length && texts.every((text) => text !== undefined) ? texts.join("") : undefined;
  });
}

function textOf(part: SyntaxNode): string | undefined {
  if (part.type === "Literal" || part.type === "SingleQuoted" || part.type === "Escaped")
    return String(part.value);
  if (part.type !== "DoubleQuoted") return undefined;
  const texts = (part.parts as SyntaxNode[]).map(textOf);
  return texts.every((text) => text !== undefined) ? texts.join("") : undefined;
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
