/** What the platform hands the Worker: bindings of wrangler.toml, and secrets. */

import { readOrigins } from '../gate/origins.ts';
import { readPublicUrl } from '../gate/own-address.ts';
import type { GateSettings } from '../gate/passage.ts';
import type { TerminalInlet } from '../workspace/terminal-inlet.ts';
import type { Workspace, WorkspaceEnv } from '../workspace/workspace.ts';

export interface Env extends WorkspaceEnv {
  readonly WORKSPACE: DurableObjectNamespace<Workspace>;
  readonly ASSETS: Fetcher;
  /** Signs and checks tokens (HS256), tickets and cookies. At least 32 bytes; `wrangler secret put RELAY_SECRET`. */
  readonly RELAY_SECRET: string;
  /** The secret before, while it is replaced: what it signed still counts, nothing new is signed with it. */
  readonly RELAY_SECRET_PREVIOUS?: string;
  /** Checks tokens that a platform's own login made (EdDSA): JWK, JWK set or PEM. */
  readonly RELAY_PUBLIC_KEY?: string;
  /** Origins of pages that embed the terminal, between commas. */
  readonly RELAY_ORIGINS?: string;
  /** What browsers call us, where a proxy in front ends TLS: `https://relay.example.com`. */
  readonly RELAY_PUBLIC_URL?: string;
  /** Audiences (`aud`), between commas: when set, a token must carry one of them. */
  readonly RELAY_AUDIENCE?: string;
  /** Issuers (`iss`), between commas: when set, a token must carry one of them. */
  readonly RELAY_ISSUER?: string;
  /** Whom to tell of a weakness: an e-mail address or an https address, published in /.well-known/security.txt. */
  readonly RELAY_SECURITY_CONTACT?: string;
  /** On a self-hosted relay: where the sockets of single-terminal mode end. */
  readonly TERMINAL_INLET?: DurableObjectNamespace<TerminalInlet>;
  /** Where objects are put when neither agent nor token says where the machine is. */
  readonly RELAY_REGION?: string;
}

export function gateSettings(env: Env): GateSettings {
  return {
    keys: {
      secret: env.RELAY_SECRET,
      previousSecret: env.RELAY_SECRET_PREVIOUS,
      publicKeys: env.RELAY_PUBLIC_KEY,
      audience: listOf(env.RELAY_AUDIENCE),
      issuer: listOf(env.RELAY_ISSUER),
    },
    embedders: readOrigins(env.RELAY_ORIGINS),
    publicUrl: readPublicUrl(env.RELAY_PUBLIC_URL),
  };
}

/** Undefined when nothing is listed, which asks for nothing. */
function listOf(setting: string | undefined): readonly string[] | undefined {
  const listed = (setting ?? '').split(/[\s,]+/).filter((text) => text !== '');
  return listed.length === 0 ? undefined : listed;
}
