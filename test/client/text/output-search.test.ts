/** Waiting for text with a client that goes on afterwards. */
import { beforeEach, describe, expect, it } from 'vitest';
import { textPrinted } from '../../../client/text/output-search.ts';
import { Pattern } from '../../../client/text/pattern.ts';
import { TextSearch } from '../../../client/text/text-search.ts';
import { WorkspaceClient } from '../../../client/workspace-client.ts';
import { CLOSE } from '../../../protocol/close-codes.ts';
import { encodeFrame } from '../../../protocol/frame.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../../protocol/messages/server-message.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { FakeNetwork } from '../../support/socket-pair.ts';

const HANDLE = 7;

let network: FakeNetwork;
let client: WorkspaceClient;
beforeEach(() => {
  network = new FakeNetwork();
  client = new WorkspaceClient({
    ...{ dial: network.dial, clock: new FakeClock(), random: () => 0.5, watched: () => true, instance: 'i' },
    inflate: async (bytes) => bytes,
  });
  network.latest.accept();
  says({ type: 'agent_state', agent: { state: 'online', since: null, epoch: 'epoch-1', generation: 1 } });
});

const says = (message: ServerMessage) => network.latest.send(JSON.stringify(message));

const prints = (offset: number, text: string) =>
  network.latest.send(
    encodeFrame({ kind: 'output', channel: 1, handle: HANDLE, offset }, new TextEncoder().encode(text)),
  );

function asked(type: ClientMessage['type']): { readonly request: string }[] {
  const messages = network.latest.heard.map(
    (frame) => JSON.parse(String(frame)) as { type: string; request: string },
  );
  return messages.filter((message) => message.type === type);
}

/** Looks for a text in what is printed from now on; the session has printed up to `to`, and its screen is lost. */
function search(text: string, to = 0): Promise<string> {
  const found = textPrinted({
    ...{ client, id: 's1', search: new TextSearch(Pattern.literal(text)) },
    run: async (pieces) => void [...pieces],
    release: () => {},
    refused: () => new Error('refused'),
  });
  const request = asked('reattach_session').at(-1)?.request ?? '';
  says({ type: 'session_reattached', request, session: sessionInfo('s1'), handle: HANDLE, inputOffset: 0 });
  const at = { session: 's1', handle: HANDLE, from: 0, to, lost: 0, cols: 80, rows: 24, bytes: 0 };
  says({ type: 'scrollback', kind: 'delta', ...at });
  return found;
}

describe('waiting for text', () => {
  it('[X2] [RL21] holds the screen until it was searched', async () => {
    const order: string[] = [];
    const search = new TextSearch(Pattern.literal('needle'));
    const found = await textPrinted({
      ...{ client, id: 's1', search },
      takeScreen: async () => ({ texts: ['a needle'], offset: 8, heldBytes: 42 }),
      run: async (pieces) => {
        for (const _ of pieces);
        order.push('searched');
      },
      release: (bytes) => order.push(`${bytes} released`),
      refused: () => new Error('refused'),
    });
    expect([found, ...order]).toEqual(['a needle', 'searched', '42 released']);
  });

  it('[R2] ends with the line, and lets go of the session', async () => {
    const found = search('needle');
    prints(0, 'a needle in');
    expect(await found).toBe('a needle');
    expect([client.attached('s1'), asked('detach_session').length, client.state.name]).toEqual([
      undefined,
      1,
      'live',
    ]);
  });

  it('[R2] ignores what was printed before the session is attached, however it is sent', async () => {
    const found = search('needle', 8);
    prints(0, 'needle\r\n');
    prints(8, 'a needle');
    expect(await found).toBe('a needle');
  });

  it('[R2] ends when the program does, after the last of its output was searched', async () => {
    const lost = search('nothing');
    prints(0, 'needle');
    says({ type: 'session_exited', session: 's1', exitCode: 0, signal: null, offset: 6 });
    await expect(lost).rejects.toMatchObject({ code: 'session_exited' });
    const again = search('needle');
    prints(0, 'needle');
    says({ type: 'session_exited', session: 's1', exitCode: 0, signal: null, offset: 6 });
    expect(await again).toBe('needle');
  });

  it('[R2] ends when the session or the connection is closed', async () => {
    const gone = search('needle');
    says({ type: 'session_closed', session: 's1', reason: 'closed' });
    await expect(gone).rejects.toMatchObject({ code: 'session_missing' });
    const refused = search('needle');
    network.latest.close(CLOSE.unauthorized, 'Revoked.');
    await expect(refused).rejects.toThrow('refused');
  });
});
