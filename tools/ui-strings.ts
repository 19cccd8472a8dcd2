/**
 * Finds the user-visible texts in the source of the page: text between tags, and strings that read like words.
 * Expressions inside a text appear as `{name}`.
 */
import { parseSync } from 'vite';

/** A node of the syntax tree (ESTree); its other fields depend on its type. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Attributes whose values are not shown. */
const SILENT_ATTRIBUTES = new Set(['className', 'type', 'role', 'kind', 'scope', 'inputMode', 'id', 'name']);
/** Functions whose arguments are not shown: they name things for the browser, or are for developers. */
const SILENT_CALLS = /^(?:addEventListener|matchMedia|Error|querySelector\w*|closest|getElementById)$/;
/** Elements that only format part of a sentence. */
const INLINE = new Set(['a', 'br', 'code', 'kbd', 'strong', 'span']);

/** The texts in the order of the file, each once. `file` decides how it is parsed. */
export function stringsOf(file: string, source: string): string[] {
  const found: { readonly at: number; readonly text: string }[] = [];
  const add: Add = (node, text, isShown) => {
    const plain = text.replace(/\s+/g, ' ').trim();
    if (isShown ? /\p{L}/u.test(plain) : readsLikeWords(plain)) found.push({ at: node.start, text: plain });
  };
  walk(parseSync(file, source).program as unknown as Node, { source, add, isShown: false });
  const texts = found.sort((a, b) => a.at - b.at).map(({ text }) => text);
  return [...new Set(texts)];
}

type Add = (node: Node, text: string, isShown: boolean) => void;

interface Walk {
  readonly source: string;
  readonly add: Add;
  /** Whether a string here is shown, whatever it looks like. */
  readonly isShown: boolean;
}

function walk(node: Node, at: Walk): void {
  const { add, isShown, source } = at;
  if (node.type === 'JSXElement' || node.type === 'JSXFragment') return element(node, at);
  if (node.type === 'Literal' && typeof node.value === 'string') return add(node, node.value, isShown);
  if (node.type === 'TemplateLiteral') add(node, templateText(node, source), isShown);
  // Arguments and event handlers are shown elsewhere, if at all.
  const isElsewhere = /^(?:CallExpression|NewExpression|JSXAttribute|\w*Function\w*)$/.test(node.type);
  for (const child of spokenChildren(node)) walk(child, { ...at, isShown: isShown && !isElsewhere });
}

/** Children that may contain a text: no types, module names, keys or comparisons. */
function spokenChildren(node: Node): Node[] {
  if (node.type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)Expression$/.test(node.type)) return [];
  if (/^(?:Import|ExportAll)/.test(node.type)) return [];
  if (node.type === 'BinaryExpression' && node.operator !== '+') return [];
  if (node.type === 'AssignmentExpression' && nameOf(node.left) === 'rel') return [];
  if (node.type === 'SwitchCase') return nodesIn(node.consequent);
  if (node.type === 'Property' && node.computed !== true) return nodesIn(node.value);
  if (node.type === 'JSXAttribute' && SILENT_ATTRIBUTES.has(nameOf(node.name))) return [];
  if (/^(?:Call|New)Expression$/.test(node.type) && SILENT_CALLS.test(nameOf(node.callee)))
    return nodesIn(node.callee);
  return Object.values(node).flatMap(nodesIn);
}

/** An element with its own text is one sentence, without its formatting; other elements are searched. */
function element(node: Node, at: Walk): void {
  const children = nodesIn(node.children);
  const hasText = children.some(({ type, value }) => type === 'JSXText' && /\p{L}/u.test(String(value)));
  if (hasText) at.add(node, children.map((child) => inlineText(child, at.source)).join(''), true);
  for (const opening of nodesIn(node.openingElement)) walk(opening, { ...at, isShown: false });
  for (const child of children.filter(({ type }) => type !== 'JSXText')) {
    if (hasText && isInline(child)) walk(child.openingElement as Node, { ...at, isShown: false });
    else walk(child, { ...at, isShown: true });
  }
}

function inlineText(node: Node, source: string): string {
  if (node.type === 'JSXText') return String(node.value);
  if (node.type === 'JSXExpressionContainer') return expressionText(node.expression as Node, source);
  return isInline(node)
    ? nodesIn(node.children)
        .map((child) => inlineText(child, source))
        .join('') || ' '
    : ' ';
}

function isInline(node: Node): boolean {
  return node.type === 'JSXElement' && INLINE.has(nameOf((node.openingElement as Node).name));
}

function templateText(node: Node, source: string): string {
  const expressions = nodesIn(node.expressions);
  return nodesIn(node.quasis)
    .map(({ value }, i) => {
      const expression = expressions[i];
      const text = (value as { cooked: string }).cooked;
      return expression === undefined ? text : text + expressionText(expression, source);
    })
    .join('');
}

/** Named after the last name in it: `{seconds}`, `{name}`. */
function expressionText(node: Node, source: string): string {
  if (node.type === 'Literal') return String(node.value);
  const names = source.slice(node.start, node.end).match(/[A-Za-z]\w*/g) ?? [];
  const isNamed = node.type === 'CallExpression' && names[0] !== 'Math';
  return `{${(isNamed ? names[0] : names.at(-1)) ?? '…'}}`;
}

function nameOf(node: unknown): string {
  const { name, property } = node as { name?: unknown; property?: unknown };
  if (typeof name === 'string') return name;
  return property === undefined ? '' : nameOf(property);
}

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
    ? [value as Node]
    : [];
}

const KEY_CODE = /^(?:Key[A-Z]|Digit\d|Arrow\w+|Comma|Equal|Minus)$/;

/** A capital letter followed by small ones, or two words; no address, media query or list of class names. */
function readsLikeWords(text: string): boolean {
  if (
    KEY_CODE.test(text) ||
    /^[(.#/[@"]|^\S+:\/\/\S*$|px$/.test(text) ||
    /^[a-z-]+(?: [a-z]+-[a-z-]+)+$/.test(text)
  )
    return false;
  return /^[“…{]?[A-Z][\p{Ll} ].*|\p{L}{2,}[,;:.]? [\p{L}{]/u.test(text);
}
