/** No secret appears in a log or in storage: a full run with failures, then a search for each secret. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { SUBPROTOCOL, ticketOffer } from '../../../protocol/version.ts';
import { routes } from '../../../worker/app.ts';
import { attachClient, connectAgent, connectClient, input, output } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { SECRET, TestRelay } from '../../support/test-relay.ts';

const EMBEDDER = 'https://ide.example';

/** Only the signature of a token is secret; its claims are not. */
const signatureOf = (token: string) => token.split('.').at(-1) ?? '';

async function pageKey(): Promise<JsonWebKey> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
  return crypto.subtle.exportKey('jwk', pair.publicKey);
}

async function everyFile(dir: string): Promise<Buffer[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name))));
}

// Each on its own relay and at the same time: a relay makes so many requests wait for their turn.
describe.concurrent('canary tokens, tickets, cookies, typed keys and printed bytes', () => {
  it.for([
    { how: 'as usual', isFailing: false },
    { how: 'with the object failing', isFailing: true },
  ])(
    '[SEC2] [GT5] appear in no log and no file, with every route requested $how',
    async ({ isFailing }, { expect }) => {
      await using relay = await TestRelay.onWorkerd({ settings: { RELAY_ORIGINS: EMBEDDER } });
      const tokens = {
        agent: await relay.token('agent'),
        operator: await relay.token('operator'),
        viewer: await relay.token('viewer'),
        foreign: await relay.token('operator', 'other'),
        expired: await relay.token('operator', 'test', -5),
      };
      const canaries = new Set([SECRET, ...Object.values(tokens).map(signatureOf)]);
      const at = (path: string) =>
        new URL(path.replace(':ws', 'test').replace(':id', 's1').replace(':jti', 'some-token'), relay.url);
      const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

      const agent = await connectAgent(relay, { token: tokens.agent });
      const { client } = await attachClient(relay, agent);
      const mine = await connectClient(relay, 'operator', tokens.operator);
      client.send(input(0, 'typed-canary-4711'));
      agent.send(output(0, 2, 'printed-canary-4711'));
      mine.send({
        type: 'create_session',
        request: 'c',
        cols: 80,
        rows: 24,
        env: { SECRET: 'env-canary-4711' },
      });
      await agent.message('from_client');
      for (const canary of ['typed-canary-4711', 'printed-canary-4711', 'env-canary-4711'])
        canaries.add(canary);

      const login = await fetch(at('/api/workspaces/:ws/login'), {
        method: 'POST',
        headers: bearer(tokens.viewer),
        body: JSON.stringify({ key: await pageKey() }),
      });
      const { renewal } = (await login.json()) as { renewal: string };
      canaries.add(signatureOf(renewal));
      const [cookie = ''] = (login.headers.get('Set-Cookie') ?? '').split(';');
      canaries.add(signatureOf(cookie));
      const bought = await fetch(at('/api/workspaces/:ws/tickets'), {
        method: 'POST',
        headers: bearer(tokens.operator),
        body: JSON.stringify({ origin: EMBEDDER }),
      });
      const { ticket } = (await bought.json()) as { ticket: string };
      canaries.add(signatureOf(ticket));
      const url = at('/ws/workspaces/:ws');
      await ScriptedPeer.connect(url, { Origin: EMBEDDER }, [SUBPROTOCOL, ticketOffer(ticket)]);

      // Every route with every credential. Without the agent, whose answers would be waited for.
      agent.terminate();
      await relay.fail(isFailing);
      for (const { method, path } of routes) {
        for (const headers of [
          ...Object.values(tokens).map(bearer),
          { Cookie: cookie },
          { Authorization: `Ticket ${ticket}` },
          { Authorization: `Renewal ${renewal}~challenge~proof` },
        ]) {
          if (path.endsWith('/revocations')) continue; // would end the test
          const response = await fetch(at(path), { method, headers });
          expect(await response.text()).not.toContain(signatureOf(tokens.operator));
        }
      }
      await relay.fail(false);

      // An invalid message is reported by field, never by value.
      client.send(JSON.stringify({ type: 'list_sessions', request: { leaked: 'field-canary-4711' } }));
      canaries.add('field-canary-4711');
      expect((await client.closed).code).toBe(4400);
      await relay.evict('close');
      await connectAgent(relay, { token: tokens.agent });

      const logs = relay.logs.join('\n');
      expect(/"event":"unhandled"/.test(logs), 'failures are logged').toBe(isFailing);
      expect(logs).toMatch(/"event":"agent_connected"/);
      const files = await everyFile(relay.stateDir);
      expect(files.length).toBeGreaterThan(0);
      expect(
        files.some((file) => file.includes('epoch-1')),
        'the registry was searched',
      ).toBe(true);
      for (const canary of canaries) {
        expect(canary.length).toBeGreaterThan(8);
        expect(logs.includes(canary), `${canary} in the log`).toBe(false);
        expect(
          files.some((file) => file.includes(canary)),
          `${canary} in a file`,
        ).toBe(false);
      }
    },
  );
});
