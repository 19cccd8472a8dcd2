/** The digest of a workspace in the client library, and what people do about an assistant, against a scripted relay. */
import { describe, expect, it } from 'vitest';
import { SESSIONS_MAX } from '../../protocol/limits.ts';
import type { SessionDigest } from '../../protocol/messages/digest.ts';
import { asked, client, connects, says, settled, startsClients } from './requests-story.ts';

startsClients();

const SINCE = '2026-11-17T10:00:00.000Z';
const digest = (session: string): SessionDigest => ({
  ...{ session, name: 'build', finished: 3, failed: 1, commands: [], printedBytes: 2_100_000 },
});

const connected = () => connects(1, 'online', { can: ['run', 'digest'] });

const page = (sessions: SessionDigest[], more = false) =>
  says({ type: 'digest', request: asked('read_digest').request, sessions, more });

describe('[A6] a digest', () => {
  it('[AS7] is joined from its pages', async () => {
    connected();
    const done = client.requests.digest(SINCE);
    expect(asked('read_digest')).toMatchObject({ since: SINCE });
    page([digest('s1')], true);
    page([digest('s2')]);
    expect((await done).map(({ session }) => session)).toEqual(['s1', 's2']);
  });

  it.each([
    ['more sessions than there are', [digest('s1')]],
    ['pages without any', []],
  ])('is refused if it has %s', async (_, sessions) => {
    connected();
    const done = settled(client.requests.digest(SINCE));
    for (let i = 0; i <= SESSIONS_MAX; i++) page(sessions, true);
    expect(await done).toMatch(/ProtocolError: a digest of over 1000 sessions/);
  });
});

describe('[A3] the keyboard', () => {
  it('[AS4] is taken from an assistant, and handed back', () => {
    connected();
    client.requests.takeKeyboard('s1');
    client.requests.handBackKeyboard('s1');
    expect(asked('take_keyboard')).toEqual({ type: 'take_keyboard', session: 's1' });
    expect(asked('hand_back_keyboard')).toEqual({ type: 'hand_back_keyboard', session: 's1' });
  });
});
