/** Finds what is too long in a source: the file, a function in it, or a class with many methods. */
import { parseSync } from 'vite';

export const FILE_MAX_LINES = 300;
export const FUNCTION_MAX_LINES = 80;
/** Getters and setters count, the constructor does not. */
export const CLASS_MAX_METHODS = 25;

/** A node of the syntax tree (ESTree); its other fields depend on its type. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** `file`, `function` or `class`, its name, and its size. */
export interface TooLong {
  /** Without the size, which may change while the excuse for it stays. */
  readonly what: string;
  readonly size: number;
}

/** For tests, where a group of tests is one long function. */
export function fileTooLongIn(file: string, source: string): TooLong[] {
  const size = linesIn(source.trimEnd());
  return size > FILE_MAX_LINES ? [{ what: `file ${file}`, size }] : [];
}

/** `file` decides how the source is parsed. */
export function tooLongIn(file: string, source: string): TooLong[] {
  const found = fileTooLongIn(file, source);
  const note = (what: string, size: number, max: number) => {
    if (size > max) found.push({ what, size });
  };
  const visit = (node: Node, name: string): void => {
    const ownName = nameOf(node) ?? name;
    if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) {
      note(`function ${ownName} in ${file}`, linesIn(source.slice(node.start, node.end)), FUNCTION_MAX_LINES);
    }
    if (/^Class(?:Declaration|Expression)$/.test(node.type)) {
      note(`class ${ownName} in ${file}`, methodsOf(node).length, CLASS_MAX_METHODS);
    }
    for (const child of Object.values(node).flatMap(nodesIn)) visit(child, ownName);
  };
  const { program, errors } = parseSync(file, source);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  visit(program as unknown as Node, 'without a name');
  return found;
}

const linesIn = (text: string): number => text.split('\n').length;

function methodsOf(node: Node): Node[] {
  const members = nodesIn(node.body).flatMap(({ body }) => nodesIn(body));
  return members.filter(({ type, kind }) => type === 'MethodDefinition' && kind !== 'constructor');
}

/** What a declaration, a member or a property names. */
function nameOf(node: Node): string | undefined {
  const [named] = [...nodesIn(node.id), ...nodesIn(node.key)];
  return typeof named?.name === 'string' ? named.name : undefined;
}

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  const isNode = typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
  return isNode ? [value as Node] : [];
}
