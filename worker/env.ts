/** What the platform hands the Worker: bindings of wrangler.toml, and secrets. */
import type { GateSettings } from './gate.ts';
import { readOrigins } from './origins.ts';
import { readPublicUrl } from './own-address.ts';
import type { Workspace } from './workspace.ts';

export interface Env {
  readonly WORKSPACE: DurableObjectNamespace<Workspace>;
  readonly ASSETS: Fetcher;
  /** Signs and checks tokens (HS256), tickets and cookies. At least 32 bytes; `wrangler secret put RELAY_SECRET`. */
  readonly RELAY_SECRET: string;
  /** Checks tokens that a platform's own login made (EdDSA): JWK, JWK set or PEM. */
  readonly RELAY_PUBLIC_KEY?: string;
  /** Origins of pages that embed the terminal, between commas. */
  readonly RELAY_ORIGINS?: string;
  /** What browsers call us, where a proxy in front ends TLS: `https://relay.example.com`. */
  readonly RELAY_PUBLIC_URL?: string;
  /** Where objects are put when neither agent nor token says where the machine is. */
  readonly RELAY_REGION?: string;
}

export function gateSettings(env: Env): GateSettings {
  return {
    keys: { secret: env.RELAY_SECRET, publicKeys: env.RELAY_PUBLIC_KEY },
    embedders: readOrigins(env.RELAY_ORIGINS),
    publicUrl: readPublicUrl(env.RELAY_PUBLIC_URL),
  };
}
