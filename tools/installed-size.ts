/** How much room an installed package takes on this kind of machine, with everything that npm installs beside it. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The bytes of all files in these directories. A file with two names counts once: workerd's install script links it. */
export function bytesIn(...paths: readonly string[]): number {
  const seen = new Set<number>();
  const count = (path: string): number => {
    const stats = lstatSync(path);
    if (stats.isDirectory()) return readdirSync(path).reduce((sum, name) => sum + count(join(path, name)), 0);
    if (seen.has(stats.ino)) return 0;
    seen.add(stats.ino);
    return stats.size;
  };
  return paths.reduce((sum, path) => sum + count(path), 0);
}

/** Names of a package's dependencies and of theirs. Optional ones of other platforms are not installed here. */
export function dependenciesOf(directory: string, modules: string): string[] {
  const found = new Set<string>();
  const visit = (folder: string) => {
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (found.has(name) || !existsSync(join(modules, name))) continue;
      found.add(name);
      visit(join(modules, name));
    }
  };
  visit(directory);
  return [...found].sort();
}

export function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
