/** Bytes in flight are limited for any behaviour of clients. A client that reads is up to date in the end, however fast it attaches, hides and shows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import { checkProperty } from '../../support/property.ts';
import type { UnreadClient, UnreadRelay } from '../../support/unread-relay.ts';
import { forcedBytes, SCREEN_BYTES, UNREAD_MAX_BYTES, world } from './unread-world.ts';

describe('for any behaviour of clients', () => {
  const SESSIONS = 3;
  const session = fc.nat(SESSIONS - 1);
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('print' as const),
        session,
        bytes: fc.constantFrom(1, 3_000, PAYLOAD_MAX_BYTES),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('attach' as const), who: fc.nat(2), session }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('attach anew' as const), who: fc.nat(2), session }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('hide' as const), who: fc.nat(2), session }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('detach' as const), who: fc.nat(2), session }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('picture' as const), who: fc.nat(2), session }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('read' as const),
        who: fc.nat(2),
        frames: fc.constantFrom(1, 5, 1_000),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(10, 300, 2_500) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('storm' as const),
        who: fc.constant(0),
        session,
        times: fc.nat(30),
      }),
    },
  );

  /** The first reads nothing at all; the second is a page of the previous version, the third one of this version. */
  it('[X4] [OU2] in-flight bytes are counted, bounded for clients that do not read, and clients that read are up to date in the end', async () => {
    await checkProperty(
      'bytes-in-flight',
      fc.asyncProperty(fc.array(step, { maxLength: 120, size: 'max' }), async (steps) => {
        const { relay, ids } = world(SESSIONS, SCREEN_BYTES);
        const clients = [
          relay.connect(1, 'viewer', false),
          relay.connect(2, 'operator', false),
          relay.connect(3, 'viewer', true),
        ];
        const client = (who: number) => clients[who] as UnreadClient;
        const name = (index: number) => ids[index] as string;
        for (const each of steps) {
          if (each.do === 'print') relay.print(each.session, each.bytes);
          if (each.do === 'attach') client(each.who).attach(name(each.session));
          if (each.do === 'attach anew') client(each.who).attach(name(each.session), null);
          if (each.do === 'hide') client(each.who).hide(name(each.session));
          if (each.do === 'detach') client(each.who).detach(name(each.session));
          if (each.do === 'picture')
            client(each.who).ask({
              type: 'take_snapshot',
              request: 'p',
              session: name(each.session),
              format: 'text',
            });
          if (each.do === 'read' && each.who !== 0) client(each.who).read(each.frames);
          if (each.do === 'wait') relay.clock.advance(each.ms);
          if (each.do === 'storm')
            for (let i = 0; i < each.times; i++) client(0).attach(name(each.session), 0);
          await relay.settle();
          expectCounted(relay, clients);
        }
        const idle = client(0);
        expect(idle.mostUnreadBytes).toBeLessThanOrEqual(UNREAD_MAX_BYTES + forcedBytes(relay.clock.now()));
        for (const reader of clients.slice(1)) await expectUpToDate(relay, reader, ids);
      }),
      { numRuns: 50 },
    );
  });
});

/** Unread bytes are counted, whatever was left, hidden or reattached since. */
function expectCounted(relay: UnreadRelay, clients: readonly UnreadClient[]): void {
  const unread = clients.reduce((sum, { unreadBytes }) => sum + unreadBytes, 0);
  // Checked after every step of every story: `expect` is called only to report a failure.
  if (unread > relay.agent.sessions.inFlightBytes)
    expect(unread).toBeLessThanOrEqual(relay.agent.sessions.inFlightBytes);
}

/** It shows every session, one after the other, and reads. */
async function expectUpToDate(
  relay: UnreadRelay,
  reader: UnreadClient,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    reader.attach(id);
    for (let round = 0; round < 200 && reader.next(id) !== relay.end(id); round++) {
      await relay.settle();
      reader.read();
      relay.clock.advance(250);
    }
    await relay.settle();
    expect(reader.next(id)).toBe(relay.end(id));
  }
}
