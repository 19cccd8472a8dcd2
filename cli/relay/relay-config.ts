/** Reads wrangler.toml, so that a local relay runs with the settings it is deployed with. */
import { readFile } from 'node:fs/promises';
import { parse } from 'smol-toml';

export interface RelayConfig {
  readonly name: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  readonly durableObjects: readonly { readonly binding: string; readonly className: string }[];
  /** The binding through which the Worker reads the page's files. */
  readonly assetsBinding: string;
  /** Routing rules for static files in Cloudflare's syntax: a leading `!` marks an exception. */
  readonly runWorkerFirst: readonly string[];
}

export async function readRelayConfig(file: URL): Promise<RelayConfig> {
  const toml = parse(await readFile(file, 'utf8')) as {
    name: string;
    compatibility_date: string;
    compatibility_flags: string[];
    durable_objects: { bindings: { name: string; class_name: string }[] };
    assets: { binding: string; run_worker_first: string[] };
  };
  return {
    name: toml.name,
    compatibilityDate: toml.compatibility_date,
    compatibilityFlags: toml.compatibility_flags,
    durableObjects: toml.durable_objects.bindings.map(({ name, class_name }) => ({
      binding: name,
      className: class_name,
    })),
    assetsBinding: toml.assets.binding,
    runWorkerFirst: toml.assets.run_worker_first,
  };
}
