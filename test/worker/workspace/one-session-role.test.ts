/**
 * Whoever sees one session neither reads nor changes anything of another: every message and every kind of frame, as
 * viewer and as operator, in a workspace with two sessions and a real agent. The answer about the other session is the
 * same as about one that does not exist. one-session-routes.test.ts does the same over HTTP.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame, type FrameKind, KINDS } from '../../../protocol/frame.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import { CLIENT_MESSAGES } from '../../protocol/message-examples.ts';
import { MARK, readable, TwoSessions } from '../../support/two-sessions.ts';

let two: TwoSessions;
beforeAll(async () => {
  two = await TwoSessions.open();
});
afterAll(() => two[Symbol.asyncDispose]());

const NOBODYS = '00000000-0000-4000-8000-000000000000';
const ROLES = ['viewer', 'operator'] as const satisfies ClientRole[];

/** What a scoped client gets for a message about this session, with news and output of the other meanwhile. */
async function answersTo(role: ClientRole, message: object, session: string): Promise<unknown[]> {
  const client = await two.connect(role);
  client.send({
    type: 'reattach_session',
    request: 'own',
    session: two.own.id,
    instance: `i-${role}`,
    from: 0,
  });
  await client.message('session_reattached');
  client.send('session' in message ? { ...message, session } : message);
  two.operator.send({ type: 'rename_session', request: 'n', session: two.other.id, name: MARK });
  two.machine.spawner.ptys[1]?.prints(`${MARK}\x07`);
  await two.operator.message('session_renamed');
  await two.machine.clients();
  await client.pong();
  const received = [...client.unread];
  await client[Symbol.asyncDispose]();
  return received
    .filter((item) => !isOutput(item))
    .map((item) => readable(withoutEcho(item, session)))
    .sort();
}

/** A refusal repeats the session that was asked for. */
function withoutEcho(item: unknown, session: string): unknown {
  const isEcho = isRefusal(item) && item.session === session;
  return isEcho ? { ...item, session: 'the one asked for' } : item;
}

const isRefusal = (item: unknown): item is { session?: string } =>
  typeof item === 'object' && item !== null && 'type' in item && item.type === 'error';

const isOutput = (item: unknown) =>
  typeof item === 'object' &&
  item !== null &&
  ('payload' in item || (item as { type: string }).type === 'scrollback');

describe.each(ROLES)('a %s who sees one session, over a socket', (role) => {
  it.each(Object.values(CLIENT_MESSAGES))(
    '[SEC26] [SL5] [SL7] $type tells and changes nothing of another',
    async (message) => {
      await two.changesNothing(async () => {
        const about = await answersTo(role, message, two.other.id);
        two.expectUnseen(about);
        expect(about).toEqual(await answersTo(role, message, NOBODYS));
      });
    },
  );

  it.each(Object.keys(KINDS) as FrameKind[])(
    '[SEC26] [SL6] a frame of the kind %s changes nothing of another',
    async (kind) => {
      await two.changesNothing(async () => {
        const client = await two.connect(role);
        client.send({
          type: 'reattach_session',
          request: 'own',
          session: two.own.id,
          instance: 'i-f',
          from: 0,
        });
        await client.message('session_reattached');
        const payload = kind === 'ack' ? Buffer.alloc(0) : Buffer.from('rm!!');
        client.send(encodeFrame({ kind, channel: 0, handle: two.other.handle, offset: 0 }, payload));
        if (kind === 'input' || kind === 'ack') await client.pong();
        else expect((await client.closed).code).toBe(4400);
        two.expectUnseen(client.unread);
        if (kind === 'input' || kind === 'ack') await client[Symbol.asyncDispose]();
      });
    },
  );

  it('[SEC26] [SL6] gets no frame of another session, even if the agent subscribes it', async () => {
    await two.changesNothing(async () => {
      const client = await two.connect(role);
      const [channel = 0] = await two.guests();
      client.send({
        type: 'reattach_session',
        request: 'own',
        session: two.own.id,
        instance: 'i-s',
        from: 0,
      });
      await client.message('session_reattached');
      two.machine.says({ type: 'subscribe', channel, handle: two.other.handle });
      const output = (to: number) =>
        encodeFrame({ kind: 'output', channel: to, handle: two.other.handle, offset: 0 }, Buffer.from(MARK));
      two.machine.says(output(channel));
      two.machine.says(output(0));
      two.machine.says({ type: 'unsubscribe', channel, handle: two.other.handle });
      await two.machine.clients();
      await client.pong();
      two.expectUnseen(client.unread);
      await client[Symbol.asyncDispose]();
    });
  });

  it('[SEC26] [SL5] sees and follows its own', async () => {
    const client = await two.connect(role);
    client.send({ type: 'list_sessions', request: 'l' });
    const { sessions } = await client.message<{ type: string; sessions: { name: string }[] }>('session_list');
    expect(sessions.map(({ name }) => name)).toEqual(['mine']);
    client.send({
      type: 'reattach_session',
      request: 'a',
      session: two.own.id,
      instance: `o-${role}`,
      cols: 80,
      rows: 24,
    });
    await client.message('session_reattached');
    await two.machine.clients();
    two.machine.spawner.ptys[0]?.prints(`news for ${role}`);
    while (!Buffer.from((await client.frame()).payload).includes(`news for ${role}`));
    client.send(
      encodeFrame({ kind: 'input', channel: 0, handle: two.own.handle, offset: 0 }, Buffer.from(role)),
    );
    if (role === 'viewer') expect(await client.message('error')).toMatchObject({ code: 'forbidden' });
    else await expect.poll(() => two.machine.spawner.ptys[0]?.typed).toContain('operator');
    await client[Symbol.asyncDispose]();
  });
});
