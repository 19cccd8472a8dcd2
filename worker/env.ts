/** What the platform hands the Worker: bindings of wrangler.toml, and secrets. */
import type { Workspace } from './workspace.ts';

export interface Env {
  readonly WORKSPACE: DurableObjectNamespace<Workspace>;
  readonly ASSETS: Fetcher;
  /** Signs and checks tokens (HS256). At least 32 bytes; `wrangler secret put RELAY_SECRET`. */
  readonly RELAY_SECRET: string;
}
