/**
 * `npm run package`: makes the installable archives from the build.
 *
 *   dist/holdfast-<version>.tgz              everything: command, relay, agent, page and libraries, for `npm install`
 *   dist/holdfast-agent-<version>.tar.gz     the agent alone with its native part, for machines without npm
 *
 * Everything is bundled except what has a native part: node-pty, and workerd, which only a relay needs and which an
 * install for an agent leaves out.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { productVersion } from '../node/product-version.ts';
import { PROJECT } from '../node/project.ts';
import { buildLibrary, LIBRARY_EXPORTS } from './build-library.ts';
import { bytesIn, dependenciesOf, inMegabytes } from './installed-size.ts';

const root = fileURLToPath(PROJECT);

/** Copied as they are. */
export const PACKAGED = [
  'cli/bin.mjs',
  'cli/require-node.mjs',
  'dist/cli',
  'dist/worker',
  'dist/static-files',
  'dist/web',
  'wrangler.toml',
  'vm-agent/install',
  'README.md',
  'LICENSE',
];

/** The parts of node-pty that spawn-pty.ts loads; the rest of its JavaScript is not used. */
const NATIVE = ['package.json', 'LICENSE', 'lib/utils.js'];
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: object;
  readonly bin: object;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Writes the npm package as a directory for `npm pack`. */
export async function writePackage(to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true });
  for (const path of PACKAGED) copy(join(root, path), join(to, path));
  const { name, version, description, license, engines, bin, dependencies } = manifest();
  const pick = (dependency: string) => ({ [dependency]: dependencies[dependency] });
  const published = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin,
    dependencies: pick('node-pty'),
    optionalDependencies: pick('workerd'),
    exports: LIBRARY_EXPORTS,
    // For users of the components; optional, because the command alone does not need them.
    peerDependencies: { react: '>=19', 'react-dom': '>=19' },
    peerDependenciesMeta: { react: { optional: true }, 'react-dom': { optional: true } },
  };
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  await buildLibrary(join(to, 'library'));
}

/** Writes the agent with everything it needs except Node, as one directory `agent`. */
export function writeAgentArchive(into: string, version: string): string {
  const staging = join(into, 'agent-archive');
  const agent = join(staging, 'agent');
  rmSync(staging, { recursive: true, force: true });
  copy(join(root, 'dist/agent'), agent);
  copy(join(root, 'vm-agent/install'), join(agent, 'install'));
  copy(join(root, 'LICENSE'), join(agent, 'LICENSE'));
  // Tells Node that keeper.js and main.js are modules.
  writeFileSync(
    join(agent, 'package.json'),
    `${JSON.stringify({ name: 'holdfast-agent', version, type: 'module' })}\n`,
  );
  const native = [...NATIVE, ...PLATFORMS.map((platform) => `prebuilds/${platform}`)];
  for (const path of native)
    copy(join(root, 'node_modules/node-pty', path), join(agent, 'node_modules/node-pty', path));
  for (const platform of PLATFORMS.filter((name) => name.startsWith('darwin')))
    chmodSync(join(agent, 'node_modules/node-pty/prebuilds', platform, 'spawn-helper'), 0o755);
  const archive = join(into, `holdfast-agent-${version}.tar.gz`);
  execFileSync('tar', ['-czf', archive, '--owner=0', '--group=0', '-C', staging, 'agent']);
  rmSync(staging, { recursive: true });
  return archive;
}

/** The archive's path, its size, and what it takes when it is installed on a machine like this one. */
function summaryOf(archive: string, unpacked: string): string {
  const modules = join(root, 'node_modules');
  const beside = dependenciesOf(unpacked, modules).map((name) => join(modules, name));
  const installed = bytesIn(unpacked, ...beside);
  return `${archive} (${inMegabytes(bytesIn(archive))}, installed ${inMegabytes(installed)})`;
}

function copy(from: string, to: string): void {
  mkdirSync(join(to, '..'), { recursive: true });
  cpSync(from, to, { recursive: true, dereference: true });
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
}

if (import.meta.main) {
  const dist = join(root, 'dist');
  await writePackage(join(dist, 'package'));
  execFileSync('npm', ['pack', '--silent', '--pack-destination', dist], { cwd: join(dist, 'package') });
  const version = await productVersion();
  console.log(summaryOf(join(dist, `holdfast-${version}.tgz`), join(dist, 'package')));
  const agent = writeAgentArchive(dist, version);
  console.log(`${agent} (${inMegabytes(bytesIn(agent))})`);
}
