/**
 * Decides which test files may share a process. Those that, judging by their imports, start no other process and use
 * neither sockets nor threads share one. Those in test/e2e share some, because nearly all that they use is in
 * processes of its own: shells, workerd, Chromium. The others get a process each.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { importsIn, ROOT } from '../repository/imports.ts';

const OUTSIDE = [
  'node:child_process',
  'node:worker_threads',
  'node:net',
  'node:http',
  'node:https',
  'node:tls',
  'ws',
  'node-pty',
  'miniflare',
  'playwright-core',
];

/** Paths from the root, with forward slashes. */
export function filesOfOneProcess(): string[] {
  const known = new Map<string, readonly string[]>();
  return testFiles().filter((file) => !isStory(file) && !reachesOutside(file, known));
}

export function storyFiles(): string[] {
  return testFiles().filter(isStory);
}

const isStory = (file: string) => file.startsWith('test/e2e/');

function testFiles(): string[] {
  return globSync('test/**/*.test.{ts,tsx}', { cwd: ROOT }).map((file) => file.replaceAll('\\', '/'));
}

function reachesOutside(file: string, known: Map<string, readonly string[]>): boolean {
  const reached = new Set([file]);
  for (const source of reached) {
    for (const specifier of importedBy(source, known)) {
      if (OUTSIDE.includes(specifier)) return true;
      if (specifier.startsWith('.')) reached.add(join(dirname(source), specifier));
    }
  }
  return false;
}

function importedBy(file: string, known: Map<string, readonly string[]>): readonly string[] {
  const before = known.get(file);
  if (before !== undefined) return before;
  const source = /\.tsx?$/.test(file) ? readFileSync(join(ROOT, file), 'utf8') : '';
  const specifiers = importsIn(file, source).flatMap(({ specifier, typeOnly }) =>
    typeOnly ? [] : [specifier],
  );
  known.set(file, specifiers);
  return specifiers;
}
