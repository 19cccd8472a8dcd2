/** The relay's side of a proof, in the WebCrypto of Node and of workerd. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { describe, expect, it } from 'vitest';
import { decodeChallenge, decodeKey } from '../../../protocol/agent-key.ts';
import { AgentKey } from '../../../vm-agent/identity/agent-key.ts';
import { fingerprint, prepareChallenge, proofMac } from '../../../worker/gate/agent-challenge.ts';
import { LOW_ORDER, VECTOR } from '../../support/agent-key-vector.ts';

const bytesOf = (text: string) => decodeKey(text) ?? new Uint8Array();
const PKCS8_PREFIX = '302e020100300506032b656e04220420';

/** Does what the Worker does, in a separate Worker: the example, and the points that no agent may offer. */
const PROBE = `
import { fingerprint, prepareChallenge, proofMac } from './worker/gate/agent-challenge.ts';
import { decodeKey } from './protocol/agent-key.ts';
import { LOW_ORDER, VECTOR } from './test/support/agent-key-vector.ts';
export default {
  async fetch() {
    const pkcs8 = new Uint8Array([...Buffer.from('${PKCS8_PREFIX}', 'hex'), ...decodeKey(VECTOR.relaySecret)]);
    const secret = await crypto.subtle.importKey('pkcs8', pkcs8, { name: 'X25519' }, false, ['deriveBits']);
    const { workspace } = VECTOR;
    const [agentKey, relayKey, nonce] = [VECTOR.agentKey, VECTOR.relayKey, VECTOR.nonce].map(decodeKey);
    const mac = await proofMac(secret, { workspace, agentKey, relayKey, nonce });
    const low = await Promise.all(LOW_ORDER.map((point) => prepareChallenge(workspace, point)));
    return Response.json({ mac, low, fingerprint: await fingerprint(VECTOR.agentKey) });
  },
};`;

describe("the relay's challenge", () => {
  it('[AK4] expects the bytes of the worked example', async () => {
    const pkcs8 = Buffer.concat([Buffer.from(PKCS8_PREFIX, 'hex'), bytesOf(VECTOR.relaySecret)]);
    const secret = await crypto.subtle.importKey('pkcs8', pkcs8, { name: 'X25519' }, false, ['deriveBits']);
    const { workspace } = VECTOR;
    const [agentKey, relayKey, nonce] = [VECTOR.agentKey, VECTOR.relayKey, VECTOR.nonce].map(bytesOf);
    if (agentKey === undefined || relayKey === undefined || nonce === undefined)
      throw new Error('bad example');
    expect(await proofMac(secret as never, { workspace, agentKey, relayKey, nonce })).toBe(VECTOR.mac);
    expect(await fingerprint(VECTOR.agentKey)).toBe(VECTOR.fingerprint);
  });

  it('[AK1] [AK4] [AK7] does so in workerd, and accepts no point of low order there', async () => {
    const resolveDir = fileURLToPath(new URL('../../..', import.meta.url));
    const stdin = { contents: PROBE, resolveDir, loader: 'ts' as const };
    const built = await build({ stdin, bundle: true, write: false, format: 'esm' });
    const script = built.outputFiles[0]?.text ?? '';
    const worker = new Miniflare({
      modules: true,
      script,
      compatibilityDate: '2026-07-01',
      compatibilityFlags: ['nodejs_compat'],
    });
    try {
      const answer = await (await fetch(await worker.ready)).json();
      const low = LOW_ORDER.map(() => null);
      expect(answer).toEqual({ mac: VECTOR.mac, low, fingerprint: VECTOR.fingerprint });
    } finally {
      await worker.dispose();
    }
  });

  it('[AK3] [AK4] is answered by the key it was made for, and differs each time', async () => {
    const key = new AgentKey(AgentKey.makeSecret());
    const [first, second] = [
      await prepareChallenge('w', key.publicText),
      await prepareChallenge('w', key.publicText),
    ];
    const challenge = decodeChallenge(first?.challenge ?? '');
    if (challenge === null) throw new Error('no challenge');
    expect(key.prove('w', challenge)).toBe(first?.mac);
    expect(second?.mac).not.toBe(first?.mac);
    expect(second?.challenge).not.toBe(first?.challenge);
  });

  it.each([...LOW_ORDER, '', 'A'.repeat(42), `${VECTOR.agentKey}=`])(
    '[AK1] is not made for the invalid key %j',
    async (key) => {
      expect(await prepareChallenge('w', key)).toBeNull();
    },
  );
});
