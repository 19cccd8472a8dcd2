/**
 * Admits agents: checks an agent when it connects, challenges it if it offers a key, and seats it once the key is
 * proven. The code is synchronous, so that nothing can change between a decision and its effect. Rules AK2 to AK6.
 */
import { CHALLENGE_HEADER, isSameText } from '../../protocol/agent-key.ts';
import { CLOSE, closeSentence } from '../../protocol/close-codes.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { PROVE_MAX_BYTES } from '../../protocol/limits.ts';
import { parseAgentMessage } from '../../protocol/messages/agent-message.ts';
import type { Actor } from '../audit/audit-rules.ts';
import { type Admission, judgeAgent } from '../gate/agent-admission.ts';
import type { OfferedKey } from '../gate/agent-offer.ts';
import type { Credential, PendingAgent } from '../peers/peer.ts';
import { isLongerThan } from '../platform/byte-length.ts';
import { log } from '../platform/log.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

const UNPROVEN = 'The agent must prove its key first. A proxy may be removing the header Holdfast-Challenge.';
const WRONG_PROOF = 'The agent did not prove that it holds the key it offers.';
const PIN_CHANGED =
  'Another key was pinned meanwhile. Use `repin: true` in the token, or `holdfast agent-key reset`.';
const CROWDED_OUT = 'Too many agents are proving their key at once.';

/** `adopt`: the key of a machine that joins by an invite is pinned before it connects. */
export type AgentKeyChange =
  | { readonly kind: 'reset' }
  | { readonly kind: 'adopt'; readonly key: string; readonly mayReplace: boolean };

export class AgentDoor {
  readonly #sockets: WorkspaceSockets;
  readonly #isLockedOut: (credential: Credential) => boolean;

  constructor(room: WorkspaceSockets, isLockedOut: (credential: Credential) => boolean) {
    this.#sockets = room;
    this.#isLockedOut = isLockedOut;
  }

  /** Returns what the audit trail records; `taken` if the workspace has a machine that must not be replaced. */
  changeKey(
    change: AgentKeyChange,
    tokenId: string,
    now: number,
  ): 'agent_key_reset' | 'agent_key_pinned' | 'taken' {
    const { registry } = this.#sockets;
    if (change.kind === 'reset') {
      registry.unpinAgentKey();
      return 'agent_key_reset';
    }
    const pinned = registry.agentKey()?.key ?? null;
    const isTaken = pinned === null ? this.#sockets.board.agent !== null : pinned !== change.key;
    if (isTaken && !change.mayReplace) return 'taken';
    registry.pinAgentKey(change.key, tokenId, now);
    return 'agent_key_pinned';
  }

  judge(offer: OfferedKey, credential: Credential, now: number): Admission {
    const pinned = this.#sockets.registry.agentKey()?.key ?? null;
    const admission = judgeAgent(pinned, offer);
    if (admission.kind === 'refuse') this.#noteRefusal(credential, 'agent_key', now);
    return admission;
  }

  /** Seats the agent, or lets it wait for its proof. Returns the headers of the answer. */
  enter(socket: WebSocket, offer: OfferedKey, credential: Credential, now: number): Record<string, string> {
    const { key, repin, prepared } = offer;
    if (key === null || prepared === null) {
      this.#sockets.admitAgent(socket, credential);
      return {};
    }
    const { pending } = this.#sockets;
    for (const other of pending.surplus()) this.#sockets.expel(other, CLOSE.tooMany, CROWDED_OUT);
    this.#sockets.admitPending(socket, {
      role: 'pending_agent',
      key,
      repin,
      mac: prepared.mac,
      credential,
      connectedAt: now,
    });
    return { [CHALLENGE_HEADER]: prepared.challenge };
  }

  /** The agent's first message, which must be its proof; anything else closes the socket. */
  received(socket: WebSocket, pending: PendingAgent, message: string | ArrayBuffer, now: number): void {
    const why = this.#whyNot(pending, message, now);
    if (why !== null) {
      this.#noteRefusal(pending.credential, why.code, now);
      return this.#sockets.expel(socket, why.code, why.sentence);
    }
    const admission = judgeAgent(this.#sockets.registry.agentKey()?.key ?? null, pending);
    if (admission.kind !== 'challenge') {
      this.#noteRefusal(pending.credential, 'agent_key', now);
      return this.#sockets.expel(socket, CLOSE.forbidden, PIN_CHANGED);
    }
    if (admission.pins) {
      this.#sockets.registry.pinAgentKey(admission.key, pending.credential.tokenId, now);
      log('info', 'agent_key_pinned');
      this.#sockets.journal?.did(agentActor(pending.credential), 'agent_key_pinned', now);
    }
    this.#sockets.pending.remove(socket);
    this.#sockets.admitAgent(socket, pending.credential);
  }

  #noteRefusal(credential: Credential, code: number | string, now: number): void {
    log('warn', 'agent_refused', { code });
    this.#sockets.journal?.refused(agentActor(credential), 'agent_key', now);
  }

  #whyNot({ mac, credential }: PendingAgent, message: string | ArrayBuffer, now: number): Refusal | null {
    if (typeof message !== 'string') return { code: CLOSE.forbidden, sentence: UNPROVEN };
    if (isLongerThan(message, PROVE_MAX_BYTES)) return { code: CLOSE.forbidden, sentence: UNPROVEN };
    const proof = proofIn(message);
    if (proof === null) return { code: CLOSE.forbidden, sentence: UNPROVEN };
    if (!isSameText(proof, mac)) return { code: CLOSE.forbidden, sentence: WRONG_PROOF };
    // The token may have expired or been revoked between the challenge and its answer.
    if (now >= credential.expiresAt || this.#isLockedOut(credential)) {
      return { code: CLOSE.unauthorized, sentence: closeSentence(CLOSE.unauthorized) };
    }
    return null;
  }
}

function agentActor({ name, tokenId }: Credential): Actor {
  return { name, tokenId, role: 'agent', client: 'agent' };
}

interface Refusal {
  readonly code: number;
  readonly sentence: string;
}

/** The MAC of a `prove` message; null for any other message. */
function proofIn(text: string): string | null {
  try {
    const message = parseAgentMessage(text);
    return message.type === 'prove' ? message.mac : null;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return null;
  }
}
