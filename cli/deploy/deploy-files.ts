/**
 * The files of one deploy: the configuration that wrangler reads, and where it reports what it did.
 *
 * A checkout has a configuration that builds first. An installed package holds what was built and cannot build, so it
 * gets the same configuration without the build, in a temporary directory: the package's own may not be writable.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readWranglerToml } from '../relay/relay-config.ts';

export interface DeployFiles {
  readonly config: string;
  readonly report: string;
  /** Where wrangler runs. It reads a `.env` there, with which people set CLOUDFLARE_API_TOKEN. */
  readonly cwd: string;
}

/** `project`: the root of the checkout or of the package. The files are removed when `use` has ended. */
export async function withDeployFiles<T>(project: URL, use: (files: DeployFiles) => Promise<T>): Promise<T> {
  // Readable by its owner only.
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-deploy-'));
  try {
    return await use({ ...(await configurationOf(project, dir)), report: join(dir, 'report.ndjson') });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function configurationOf(project: URL, dir: string): Promise<Pick<DeployFiles, 'config' | 'cwd'>> {
  if (canBuild(project))
    return { config: fileURLToPath(new URL('wrangler.toml', project)), cwd: fileURLToPath(project) };
  const config = join(dir, 'wrangler.json');
  await writeFile(config, JSON.stringify(await builtConfiguration(project), null, 2));
  return { config, cwd: process.cwd() };
}

function canBuild(project: URL): boolean {
  return existsSync(new URL('tools/build.ts', project));
}

/** All of wrangler.toml except the build, with absolute paths. */
export async function builtConfiguration(project: URL): Promise<object> {
  const { build: _, ...config } = await readWranglerToml(new URL('wrangler.toml', project));
  const absolute = (path: string) => fileURLToPath(new URL(path, project));
  const { main, assets } = config;
  return {
    ...config,
    main: absolute(main),
    assets: { ...assets, directory: absolute(assets.directory) },
  };
}
