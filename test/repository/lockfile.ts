/** What must hold for package.json and package-lock.json. Each check returns its complaints. */
import { atLeast } from './version-order.ts';

export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optional?: boolean;
  readonly engines?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The `packages` of a lock file: the path below the root, such as `node_modules/a/node_modules/b`, to what is there. */
export type Locked = Readonly<Record<string, LockedPackage>>;

/** The machines we promise: a laptop or a server, Intel or ARM. */
const PLATFORMS = ['linux', 'darwin'].flatMap((os) => ['x64', 'arm64'].map((cpu) => ({ os, cpu })));

/** With a range, an install of tomorrow may differ from what was tested today. */
export function unpinned(manifest: Manifest): string[] {
  const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.overrides };
  return Object.entries(all)
    .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    .map(([name, version]) => `${name} is not pinned: ${version}`);
}

/** A `resolved` names the registry of the person who made the lock file, which others may not reach. */
export function bound(locked: Locked): string[] {
  return Object.entries(locked)
    .filter(([, { resolved }]) => resolved !== undefined)
    .map(([path, { resolved }]) => `${path} is bound to ${resolved}`);
}

/**
 * Packages that make `npm ci` warn on this Node. Development tools that need a newer one run on the Node that `npm ci`
 * installs, so the lock file does not repeat what they ask of the machine's.
 */
export function warnedAbout(node: string, locked: Locked): string[] {
  return Object.entries(locked)
    .filter(([, { optional, engines }]) => !optional && !allows(engines?.node ?? '*', node))
    .map(
      ([path, { engines }]) =>
        `${path} asks for Node ${engines?.node}: delete its engines from package-lock.json`,
    );
}

/** Enough of ranges for what packages write of Node: `>=18`, `^20.19.0 || >=22.12.0`, `20 || >=22`, `>=6 <7 || 20.x`. */
export function allows(range: string, version: string): boolean {
  return range.split('||').some((choice) => {
    const parts = choice
      .replace(/([<>=^~]) +/g, '$1')
      .trim()
      .split(/\s+/);
    return parts.every((part) => {
      const [, sign = '', wanted = ''] = /^(>=|<=|<|>|\^|~|=)?v?(.*)$/.exec(part) ?? [];
      if (wanted === '' || wanted === '*') return true;
      const numbers = wanted.replace(/(\.[x*])+$/, '');
      const isSameMajor = numbers.split('.')[0] === version.split('.')[0];
      if (sign === '<') return !atLeast(version, numbers);
      if (sign === '>=' || sign === '>') return atLeast(version, numbers);
      return isSameMajor && (sign === '' || atLeast(version, numbers));
    });
  });
}

export function versionsOf(name: string, locked: Locked): string[] {
  const copies = Object.entries(locked).filter(([path]) => nameOf(path) === name);
  return [...new Set(copies.map(([, { version }]) => version ?? 'no version'))];
}

export function tooOld(name: string, minimum: string, locked: Locked): string[] {
  return versionsOf(name, locked)
    .filter((version) => !atLeast(version, minimum))
    .map((version) => `${name} ${version} is older than ${minimum}`);
}

/**
 * npm leaves binaries of other platforms out of the lock file when it cannot resolve them, and `npm ci`
 * then fails on exactly those platforms, where the author is not. `oneSystemOnly` names packages that exist
 * for one system by nature.
 */
export function missingPlatforms(locked: Locked, oneSystemOnly: ReadonlySet<string>): string[] {
  return Object.entries(locked).flatMap(([owner, { os, optionalDependencies = {} }]) => {
    // A package for one platform (sharp's) may have a part for that platform; its owner has the others.
    if (os !== undefined) return [];
    const names = Object.keys(optionalDependencies).filter((name) => !oneSystemOnly.has(name));
    const parts = names.map((name) => ({ name, part: resolve(locked, owner, name) }));
    const unlocked = parts.filter(({ part }) => part === undefined);
    const complaints = unlocked.map(({ name }) => `${nameOf(owner)} wants ${name}, which is not locked`);
    if (!parts.some(({ part }) => part?.os !== undefined)) return complaints;
    const uncovered = PLATFORMS.filter(
      ({ os, cpu }) => !parts.some(({ part }) => part?.os?.includes(os) && part.cpu?.includes(cpu)),
    );
    return [
      ...complaints,
      ...uncovered.map(({ os, cpu }) => `${nameOf(owner)} has no binary for ${os} ${cpu}`),
    ];
  });
}

/** npm 11 runs the install scripts that package.json allows, and no others. */
export function scriptsOutOfStep(manifest: Manifest, locked: Locked): string[] {
  const scripted = Object.keys(locked).filter((path) => locked[path]?.hasInstallScript);
  const wanted = new Set(scripted.map(nameOf));
  const allowed = new Set(Object.keys(manifest.allowScripts ?? {}));
  return [
    ...[...wanted]
      .filter((name) => !allowed.has(name))
      .map((name) => `${name} has a script that is not allowed`),
    ...[...allowed]
      .filter((name) => !wanted.has(name))
      .map((name) => `${name} is allowed a script it does not have`),
  ];
}

function nameOf(path: string): string {
  return path.split('node_modules/').at(-1) ?? path;
}

/** The copy that `owner` gets: the nearest one up the tree, as Node looks for it. */
function resolve(locked: Locked, owner: string, name: string): LockedPackage | undefined {
  for (let at = owner; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const found = locked[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`];
    if (found !== undefined || at === '') return found;
  }
}
