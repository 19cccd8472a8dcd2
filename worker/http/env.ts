/** The Worker's environment: the bindings of wrangler.toml, and secrets. */

import { readOrigins } from '../gate/origins.ts';
import { readPublicUrl } from '../gate/own-address.ts';
import type { GateSettings } from '../gate/passage.ts';
import type { TerminalInlet } from '../workspace/terminal-inlet.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { WorkspaceEnv } from '../workspace/workspace-env.ts';

export interface Env extends WorkspaceEnv {
  /**
   * Where to report vulnerabilities: an e-mail or https address, published in /.well-known/security.txt. Push services
   * are told the same; without it, the address of the relay.
   */
  readonly RELAY_SECURITY_CONTACT?: string;
  /**
   * Hosts of push services besides those of Chrome, Firefox, Safari and Edge, separated by commas: `push.example.com`,
   * `*.push.example.com`. A port other than 443 must be named. A self-hosted relay reaches public addresses only; a
   * service elsewhere must be named by its address (`10.0.0.5:8443`), to which the relay then may connect.
   */
  readonly RELAY_PUSH_HOSTS?: string;
  readonly WORKSPACE: DurableObjectNamespace<Workspace>;
  readonly ASSETS: Fetcher;
  /**
   * Signs and verifies tokens (HS256), tickets and cookies. At least 32 bytes; set with `wrangler secret put
   * RELAY_SECRET`.
   */
  readonly RELAY_SECRET: string;
  /** The previous secret during a rotation. What it signed remains valid; nothing new is signed with it. */
  readonly RELAY_SECRET_PREVIOUS?: string;
  /** The public key of the relay's owner (Ed25519, 32 bytes as base64url). `holdfast deploy` makes and stores it. */
  readonly RELAY_OWNER_KEY?: string;
  /** Verifies tokens made by a platform's own login (EdDSA): a JWK, a JWK set or PEM. */
  readonly RELAY_PUBLIC_KEY?: string;
  /** Origins of pages that embed the terminal, separated by commas. */
  readonly RELAY_ORIGINS?: string;
  /** Our public address, if a proxy in front terminates TLS: `https://relay.example.com`. */
  readonly RELAY_PUBLIC_URL?: string;
  /** Audiences (`aud`), separated by commas. If set, a token must carry one of them. */
  readonly RELAY_AUDIENCE?: string;
  /** Issuers (`iss`), separated by commas. If set, a token must carry one of them. */
  readonly RELAY_ISSUER?: string;
  /** On a self-hosted relay: the objects at which the sockets of single-terminal mode end. */
  readonly TERMINAL_INLET?: DurableObjectNamespace<TerminalInlet>;
  /** Where objects are placed when neither the agent nor the token names a region. */
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

/** Undefined when the list is empty, which means no requirement. */
function listOf(setting: string | undefined): readonly string[] | undefined {
  const listed = (setting ?? '').split(/[\s,]+/).filter((text) => text !== '');
  return listed.length === 0 ? undefined : listed;
}
