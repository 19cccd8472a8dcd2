/** Requests with a time limit, and the bytes of snapshots, against a scripted relay. */
import { describe, expect, it } from 'vitest';
import { CLOSE } from '../../protocol/close-codes.ts';
import { decodeFrame, encodeFrame } from '../../protocol/frame.ts';
import { SNAPSHOT_FRAME_WITHIN_MS, SNAPSHOT_MAX_BYTES } from '../../protocol/limits.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';
import {
  agentIs,
  asked,
  client,
  clock,
  connects,
  HANDLE,
  network,
  says,
  settled,
  startsClients,
  WITHIN,
} from './requests-story.ts';

startsClients();

describe('a request', () => {
  it('is answered by the message of its kind, or refused', async () => {
    connects();
    const done = client.requests.ask(
      { type: 'resize', session: 's1', cols: 9, rows: 8, takeOver: true },
      WITHIN,
    );
    const { request } = asked('resize');
    says({ type: 'session_resized', request, session: 's1', cols: 9, rows: 8 });
    expect(await done).toMatchObject({ cols: 9, rows: 8 });
    const refused = client.requests.ask({ type: 'read_metrics' }, WITHIN);
    says({ type: 'error', code: 'forbidden', message: 'No.', request: asked('read_metrics').request });
    expect(await settled(refused)).toBe('forbidden');
    const wrong = client.requests.ask({ type: 'read_metrics' });
    says({ type: 'sessions_refreshed', request: asked('read_metrics').request });
    await expect(wrong).rejects.toThrow('read_metrics was answered by sessions_refreshed');
  });

  it('for a new name or an end is answered by what everybody is told of that session', async () => {
    connects();
    let isOver = false;
    const renamed = client.requests.ask({ type: 'rename_session', session: 's1', name: 'n' }, WITHIN);
    void renamed.then(() => {
      isOver = true;
    });
    says({ type: 'session_renamed', session: 's2', name: 'n' });
    says({ type: 'session_closed', session: 's1', reason: 'closed' });
    await Promise.resolve();
    expect(isOver).toBe(false);
    says({ type: 'session_renamed', session: 's1', name: 'n' });
    expect(await renamed).toMatchObject({ name: 'n' });
  });

  it('has no answer when the time is up, the connection is lost or the agent was replaced: the outcome is unknown', async () => {
    connects();
    const late = client.requests.ask({ type: 'create_session', cols: 1, rows: 1 }, WITHIN);
    clock.advance(WITHIN.withinMs);
    expect(await settled(late)).toBe('no answer');
    const replaced = client.requests.ask({ type: 'create_session', cols: 1, rows: 1 }, WITHIN);
    agentIs('online', 2);
    expect(await settled(replaced)).toBe('no answer');
    const lost = client.requests.ask({ type: 'create_session', cols: 1, rows: 1 }, WITHIN);
    network.latest.cut();
    expect(await settled(lost)).toBe('no answer');
  });

  it('that cannot be sent is refused, and the outcome is known', async () => {
    const unsent = client.requests.ask({ type: 'create_session', cols: 1, rows: 1 }, WITHIN);
    expect(await settled(unsent)).toBe('agent_offline');
  });

  it('leaves no timer behind', async () => {
    connects();
    const before = clock.pending;
    const done = client.requests.ask({ type: 'read_metrics' }, WITHIN);
    expect(clock.pending).toBe(before + 1);
    says({ type: 'metrics', request: asked('read_metrics').request, text: '' });
    await done;
    expect(clock.pending).toBe(before);
  });
});

describe('the bytes of a snapshot', () => {
  const taken = (bytes: number) =>
    ({
      ...{ type: 'snapshot_taken', request: asked('take_snapshot').request, session: 's1', handle: HANDLE },
      ...({ format: 'text', offset: 9, cols: 80, rows: 24, bytes } as const),
    }) as ServerMessage;
  const piece = (offset: number, text: string) =>
    network.latest.send(
      encodeFrame({ kind: 'snapshot', channel: 1, handle: HANDLE, offset }, new TextEncoder().encode(text)),
    );
  const take = (options: object = {}) =>
    client.requests.ask({ type: 'take_snapshot', session: 's1', format: 'text' }, { ...WITHIN, ...options });
  const acknowledged = () =>
    network.latest.heard.filter((frame) => typeof frame !== 'string' && decodeFrame(frame).kind === 'ack')
      .length;

  it('[X2] [RL21] that come in pieces without bytes end the connection, because their number has no limit', async () => {
    connects();
    const done = take().catch((error) => error.message);
    says(taken(4));
    piece(0, '');
    expect(client.state).toMatchObject({ name: 'refused', why: 'a piece of a snapshot without bytes' });
    await done;
  });

  it('come piece by piece, in time each, and are acknowledged', async () => {
    connects();
    const pieces: string[] = [];
    const done = take({ piece: (bytes: Uint8Array) => pieces.push(new TextDecoder().decode(bytes)) });
    says(taken(4));
    clock.advance(SNAPSHOT_FRAME_WITHIN_MS - 1);
    network.latest.send('pong');
    piece(0, 'ab');
    clock.advance(SNAPSHOT_FRAME_WITHIN_MS - 1);
    network.latest.send('pong');
    piece(2, 'cd');
    expect(await done).toMatchObject({ offset: 9 });
    expect([pieces, acknowledged()]).toEqual([['ab', 'cd'], 1]);
  });

  it('that stop coming are given up', async () => {
    connects();
    const stopped = take();
    says(taken(4));
    piece(0, 'ab');
    network.passes(clock, SNAPSHOT_FRAME_WITHIN_MS);
    expect(await settled(stopped)).toBe('no answer');
  });

  it('that the caller cannot take end its request, and nothing else', async () => {
    connects();
    const full = take({
      piece: () => {
        throw new Error('no room');
      },
    });
    says(taken(4));
    piece(0, 'ab');
    expect(await settled(full)).toBe('Error: no room');
    piece(2, 'cd');
    expect([client.state.name, acknowledged()]).toEqual(['live', 1]);
  });

  it('[X2] [RL21] that are announced as too many close the connection; the caller is told before', async () => {
    connects();
    const tooMany = take({
      announced: (bytes: number) => {
        throw new Error(`${bytes} bytes`);
      },
    });
    says(taken(SNAPSHOT_MAX_BYTES + 1));
    expect(await settled(tooMany)).toBe(`Error: ${SNAPSHOT_MAX_BYTES + 1} bytes`);
    expect(client.state).toMatchObject({ name: 'refused', code: CLOSE.protocolError });
  });
});
