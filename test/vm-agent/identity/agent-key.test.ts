/** The agent's side of a proof. The relay's side of the same example is in test/worker/gate/agent-challenge.test.ts. */
import { describe, expect, it } from 'vitest';
import { decodeKey } from '../../../protocol/agent-key.ts';
import { AgentKey } from '../../../vm-agent/identity/agent-key.ts';
import { LOW_ORDER, VECTOR } from '../../support/agent-key-vector.ts';

const bytesOf = (text: string) => decodeKey(text) ?? new Uint8Array();
const key = new AgentKey(bytesOf(VECTOR.agentSecret));
const nonce = bytesOf(VECTOR.nonce);

describe("the agent's key", () => {
  it('[AK4] produces the proof of the worked example', () => {
    expect(key.publicText).toBe(VECTOR.agentKey);
    expect(key.prove(VECTOR.workspace, { relayKey: bytesOf(VECTOR.relayKey), nonce })).toBe(VECTOR.mac);
  });

  it('[AK7] has the fingerprint of the worked example', () => {
    expect(key.fingerprint).toBe(VECTOR.fingerprint);
  });

  it('[AK4] produces another proof for another workspace, nonce, relay or agent', () => {
    const relayKey = bytesOf(VECTOR.relayKey);
    const another = new AgentKey(bytesOf(VECTOR.relaySecret));
    const proofs = [
      key.prove(VECTOR.workspace, { relayKey, nonce }),
      key.prove('build-8', { relayKey, nonce }),
      key.prove(VECTOR.workspace, { relayKey, nonce: nonce.map((byte) => byte ^ 1) }),
      key.prove(VECTOR.workspace, { relayKey: bytesOf(VECTOR.agentKey), nonce }),
      another.prove(VECTOR.workspace, { relayKey, nonce }),
    ];
    expect(new Set(proofs).size).toBe(proofs.length);
  });

  it.each(LOW_ORDER)('[AK4] answers no challenge of low order: %s', (point) => {
    expect(() => key.prove(VECTOR.workspace, { relayKey: bytesOf(point), nonce })).toThrow();
  });
});
