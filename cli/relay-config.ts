/** Reads wrangler.toml, so that the relay runs here with the settings it is deployed with. */
import { readFile } from 'node:fs/promises';
import { parse } from 'smol-toml';

export interface RelayConfig {
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** Routing rules of the static files, as Cloudflare writes them: a leading `!` is an exception. */
  readonly runWorkerFirst: readonly string[];
}

export async function readRelayConfig(file: URL): Promise<RelayConfig> {
  const toml = parse(await readFile(file, 'utf8')) as {
    compatibility_date: string;
    compatibility_flags: string[];
    assets: { run_worker_first: string[] };
  };
  return {
    compatibilityDate: toml.compatibility_date,
    compatibilityFlags: toml.compatibility_flags,
    runWorkerFirst: toml.assets.run_worker_first,
  };
}
