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

/** What we use of wrangler.toml; it has more. */
interface WranglerToml {
  readonly name: string;
  readonly main: string;
  readonly build?: unknown;
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly durable_objects: { readonly bindings: readonly { name: string; class_name: string }[] };
  readonly assets: {
    readonly directory: string;
    readonly binding: string;
    readonly run_worker_first: readonly string[];
  };
}

export async function readWranglerToml(file: URL): Promise<WranglerToml> {
  return parse(await readFile(file, 'utf8')) as unknown as WranglerToml;
}

export async function readRelayConfig(file: URL): Promise<RelayConfig> {
  const toml = await readWranglerToml(file);
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
