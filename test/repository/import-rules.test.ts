/** Which folder may import which. The compiler enforces it between folders; doorways.ts defines it for dependencies. */
import { posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trespasses } from './doorways.ts';
import { importsIn, packageOf, productImports } from './imports.ts';
import { Skeleton } from './skeleton.ts';

const FOLDERS = [
  'protocol',
  'client',
  'mcp',
  'node',
  'worker',
  'vm-agent',
  'web/ui',
  'cli',
  'tools',
] as const;
type Folder = (typeof FOLDERS)[number];

/** Everything a folder may import of ours; all else is forbidden. */
const MAY_IMPORT: Readonly<Record<Folder, readonly Folder[]>> = {
  protocol: [],
  // The API is a client that runs in the Worker.
  client: ['protocol'],
  // Tools over the client library, for the Worker and the command line.
  mcp: ['protocol', 'client'],
  node: ['protocol'],
  worker: ['protocol', 'client', 'mcp'],
  'vm-agent': ['protocol', 'node'],
  'web/ui': ['protocol', 'client'],
  cli: ['protocol', 'client', 'mcp', 'node', 'vm-agent'],
  // What makes the product may use all of it.
  tools: ['protocol', 'client', 'mcp', 'node', 'vm-agent', 'cli'],
};

const pairs = FOLDERS.flatMap((from) => FOLDERS.filter((to) => to !== from).map((to) => ({ from, to })));
const fileOf = (from: Folder, what: string) => `${from}/imports-${what.replace(/\W/g, '-')}.ts`;

/** What a folder's platform does not have. */
const FOREIGN = [
  { from: 'protocol', what: 'node:fs', source: "export { readFileSync } from 'node:fs';" },
  { from: 'protocol', what: 'the DOM', source: 'export const page: unknown = document;' },
  { from: 'protocol', what: 'timers', source: 'export const timer: unknown = setTimeout;' },
  { from: 'client', what: 'node:fs', source: "export { readFileSync } from 'node:fs';" },
  { from: 'client', what: 'the DOM', source: 'export const page: unknown = document;' },
  { from: 'mcp', what: 'node:fs', source: "export { readFileSync } from 'node:fs';" },
  { from: 'mcp', what: 'the DOM', source: 'export const page: unknown = document;' },
  { from: 'mcp', what: 'timers', source: 'export const timer: unknown = setTimeout;' },
  { from: 'web/ui', what: 'node:fs', source: "export { readFileSync } from 'node:fs';" },
  { from: 'worker', what: 'node:fs', source: "export { readFileSync } from 'node:fs';" },
  { from: 'worker', what: 'the DOM', source: 'export const page: unknown = document;' },
  { from: 'vm-agent', what: 'the DOM', source: 'export const page: unknown = document;' },
] as const;

describe('between folders', () => {
  const allowed = pairs.filter(({ from, to }) => MAY_IMPORT[from].includes(to));
  const forbidden = pairs.filter(({ from, to }) => !MAY_IMPORT[from].includes(to));
  let skeleton: Skeleton;
  let complaints: { lawful: Map<string, string>; unlawful: Map<string, string> };

  function writeImport({ from, to }: { from: Folder; to: Folder }): void {
    const path = posix.relative(from, `${to}/here.ts`);
    skeleton.write(fileOf(from, to), `export { here } from '${path}';\n`);
  }

  beforeAll(() => {
    skeleton = new Skeleton(FOLDERS);
    for (const folder of FOLDERS) skeleton.write(`${folder}/here.ts`, 'export const here = 1;\n');
    allowed.forEach(writeImport);
    // On its own: a folder that reaches into another also writes that one's declarations, while it is read.
    const lawful = skeleton.compile(FOLDERS);
    forbidden.forEach(writeImport);
    for (const { from, what, source } of FOREIGN) skeleton.write(fileOf(from, what), source);
    complaints = { lawful, unlawful: skeleton.compile(FOLDERS) };
  });

  afterAll(() => skeleton.remove());

  it('each folder imports only what it may', () => {
    expect(Object.fromEntries(complaints.lawful)).toEqual({});
  });

  it.each(forbidden)('$from may not import $to', ({ from, to }) => {
    // "File … is not listed within the file list of project …"
    expect(complaints.unlawful.get(fileOf(from, to))).toMatch(/^TS6307: /);
  });

  it.each(FOREIGN)('$from may not use $what', ({ from, what }) => {
    expect(complaints.unlawful.get(fileOf(from, what))).toMatch(/^TS2\d+: Cannot find /);
  });
});

describe('dependencies', () => {
  it('are each imported only in the listed files', () => {
    expect(trespasses(productImports())).toEqual([]);
  });

  it.each([
    {
      file: 'vm-agent/session/session.ts',
      specifier: 'node-pty',
      found: 'vm-agent/session/session.ts may not import ^node-pty$',
    },
    { file: 'worker/app.ts', specifier: 'ws', found: 'worker/app.ts may not import ^ws$' },
    { file: 'cli/start.ts', specifier: 'miniflare', found: 'cli/start.ts may not import ^miniflare$' },
    {
      file: 'client/link.ts',
      specifier: 'hono/client',
      found: 'client/link.ts may not import ^hono$',
    },
    {
      file: 'client/link.ts',
      specifier: 'valibot',
      found: 'client/link.ts may not import ^valibot$',
    },
    {
      file: 'worker/mcp/serve-mcp.ts',
      specifier: '@modelcontextprotocol/server',
      found: 'worker/mcp/serve-mcp.ts may not import ^@modelcontextprotocol\\/',
    },
    {
      file: 'vm-agent/link/agent.ts',
      specifier: '@xterm/headless',
      found: 'vm-agent/link/agent.ts may not import ^@xterm\\/',
    },
  ])('$specifier in $file is reported', ({ file, specifier, found }) => {
    expect(trespasses([{ file, specifier, typeOnly: true }])).toEqual([found]);
  });

  it('a second file that imports a dependency meant for one is reported', () => {
    const twice = ['worker/gate/token.ts', 'worker/gate/gate.ts'].map((file) => ({
      file,
      specifier: 'jose',
      typeOnly: false,
    }));
    expect(trespasses(twice)).toEqual([
      'worker/ imports ^jose$ in worker/gate/token.ts and worker/gate/gate.ts',
    ]);
  });

  it('are accepted in the files that may import them', () => {
    const welcome = {
      'vm-agent/pty/spawn-pty.ts': 'node-pty',
      'vm-agent/screen/xterm/create-xterm.ts': '@xterm/headless',
    };
    const imports = Object.entries(welcome).map(([file, specifier]) => ({
      file,
      specifier,
      typeOnly: false,
    }));
    expect(trespasses(imports)).toEqual([]);
  });
});

describe('reading imports', () => {
  it('finds every form of import', () => {
    const source = `
      /** import x from 'a-comment'; */
      // import x from 'another-comment';
      import x from 'default';
      import {
        y, // several lines
      } from "named";
      import type { Z } from 'types';
      export * from 'exported';
      import 'side-effect';
      const later = await import('dynamic');
      const old = require('required');
      const path = import.meta.resolve('resolved');
      const text = 'import nothing';
    `;
    expect(
      importsIn('a.ts', source).map(({ specifier, typeOnly }) => (typeOnly ? [specifier] : specifier)),
    ).toEqual(['default', 'named', ['types'], 'exported', 'side-effect', 'dynamic', 'required', 'resolved']);
  });

  it.each([
    ['hono', 'hono'],
    ['hono/cookie', 'hono'],
    ['@xterm/xterm/css/xterm.css', '@xterm/xterm'],
    ['./near.ts', undefined],
    ['../far.ts', undefined],
    ['node:fs', undefined],
    ['cloudflare:workers', undefined],
  ])('knows that %s belongs to the package %s', (specifier, name) => {
    expect(packageOf(specifier)).toBe(name);
  });
});
