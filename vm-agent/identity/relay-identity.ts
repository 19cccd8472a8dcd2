/**
 * Identifies this agent when it dials: offers its public key and proves that it holds the private one. Once read, the
 * key stays in memory. An unusable file is read again before each dial, so that fixing it needs no restart.
 */

import type { Headers, Identity } from '../../node/relay-socket.ts';
import { AGENT_KEY_HEADER, CHALLENGE_HEADER, decodeChallenge } from '../../protocol/agent-key.ts';
import type { AgentMessage } from '../../protocol/messages/agent-message.ts';
import type { AgentKey } from './agent-key.ts';
import { openKeyFile } from './key-file.ts';

export class RelayIdentity implements Identity {
  readonly #path: string;
  readonly #workspace: string;
  readonly #unusable: (why: string) => void;
  #key: AgentKey | null = null;
  #told: string | null = null;

  /** `unusable` is called once for each distinct reason. */
  constructor(path: string, workspace: string, unusable: (why: string) => void) {
    this.#path = path;
    this.#workspace = workspace;
    this.#unusable = unusable;
  }

  offer(): Record<string, string> {
    this.#key ??= this.#open();
    return this.#key === null ? {} : { [AGENT_KEY_HEADER]: this.#key.publicText };
  }

  /** Throws for a challenge that our relay would never send. */
  answer(headers: Headers): string | null {
    const header = headers[CHALLENGE_HEADER.toLowerCase()];
    if (this.#key === null || header === undefined) return null;
    const challenge = typeof header === 'string' ? decodeChallenge(header) : null;
    if (challenge === null) throw new Error('the challenge cannot be read');
    const mac = this.#key.prove(this.#workspace, challenge);
    return JSON.stringify({ type: 'prove', mac } satisfies AgentMessage);
  }

  #open(): AgentKey | null {
    const reading = openKeyFile(this.#path);
    if (reading.kind === 'key') return reading.key;
    if (this.#told !== reading.why) this.#unusable(reading.why);
    this.#told = reading.why;
    return null;
  }
}
