/** The imports of our files, read from their text: fast, and includes type imports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The folders that are the product; tests and benchmarks may import anything. */
export const PRODUCT = ['protocol', 'client', 'mcp', 'node', 'worker', 'vm-agent', 'web', 'cli', 'tools'];

export interface Import {
  /** The importing file, from the root, with forward slashes. */
  readonly file: string;
  readonly specifier: string;
  readonly typeOnly: boolean;
}

const COMMENT = /^\s*(?:\/\/.*|\/\*[\s\S]*?\*\/)/gm;
const STATIC = /^\s*(?:import|export)\b(\s+type\b)?[^'";]*?\bfrom\s*['"]([^'"]+)['"]/gm;
const SIDE_EFFECT = /^\s*import\s*['"]([^'"]+)['"]/gm;
const DYNAMIC = /\b(?:import|require|import\.meta\.resolve)\(\s*['"]([^'"]+)['"]/g;

export function importsIn(file: string, source: string): Import[] {
  const code = source.replace(COMMENT, '');
  const named = [...code.matchAll(STATIC)].map(([, type, specifier = '']) => ({
    file,
    specifier,
    typeOnly: type !== undefined,
  }));
  const bare = [...code.matchAll(SIDE_EFFECT), ...code.matchAll(DYNAMIC)];
  return [...named, ...bare.map(([, specifier = '']) => ({ file, specifier, typeOnly: false }))];
}

/** Every source of the product, from the root. */
export function productFiles(): string[] {
  return PRODUCT.flatMap(sourcesUnder);
}

export function productImports(): Import[] {
  return productFiles().flatMap((file) => importsIn(file, readFileSync(join(ROOT, file), 'utf8')));
}

export function sourcesUnder(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

/** The npm package a specifier names, or undefined for our own files and the platform's modules. */
export function packageOf(specifier: string): string | undefined {
  if (/^[./]/.test(specifier) || /^\w+:/.test(specifier)) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
