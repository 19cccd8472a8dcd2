/** The folders of the product as a graph of imports. */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { importsIn, productFiles, ROOT } from './imports.ts';

const TOP_FOLDERS = ['protocol', 'client', 'mcp', 'node', 'worker', 'vm-agent', 'web/ui', 'cli', 'tools'];

/** By file or folder, everything of ours that it imports, types included. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

export function fileGraph(files = productFiles()): Graph {
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const imports = importsIn(file, readFileSync(join(ROOT, file), 'utf8'));
      const ours = imports.map(({ specifier }) => normalize(join(dirname(file), specifier)));
      return [file, new Set(ours.filter((target) => known.has(target)))];
    }),
  );
}

export function folderGraph(files: Graph): Graph {
  const folders = new Map<string, Set<string>>();
  for (const [file, imported] of files) {
    const folder = dirname(file);
    const others = [...imported].map(dirname).filter((other) => other !== folder);
    folders.set(folder, new Set([...(folders.get(folder) ?? []), ...others]));
  }
  return folders;
}

/** Each cycle once, as its path. */
export function cyclesIn(graph: Graph): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (node: string, way: readonly string[]): void => {
    const at = way.indexOf(node);
    if (at >= 0) cycles.push([...way.slice(at), node].join(' → '));
    if (at >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) walk(next, [...way, node]);
    done.add(node);
  };
  for (const node of graph.keys()) walk(node, []);
  return cycles;
}

/** What the README of each top folder says that its folders import. */
export function documentedFolders(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>();
  for (const top of TOP_FOLDERS) {
    const readme = readFileSync(join(ROOT, top, 'README.md'), 'utf8');
    for (const [, folder = '', imports = ''] of readme.matchAll(/^\| `([\w/-]+)` \| .+ \| (.+) \|$/gm)) {
      if (folder !== top && !folder.startsWith(`${top}/`)) continue;
      folders.set(folder, new Set([...imports.matchAll(/`([\w/-]+)`/g)].map(([, name = '']) => name)));
    }
  }
  return folders;
}
