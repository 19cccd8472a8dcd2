/** What clients are told of who watches a session, and how often. */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  PEOPLE_TOLD_AFTER_MS,
  PEOPLE_TOLD_MAX_SESSIONS,
  WATCHED_REMEMBERED_MAX,
} from '../../../protocol/limits.ts';
import { type ClientPeer, readAttachment } from '../../../worker/peers/peer.ts';
import { Switchboard } from '../../../worker/peers/switchboard.ts';
import { PeopleWatch } from '../../../worker/workspace/people-watch.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { RememberingSocket } from './room-without-network.ts';

type Socket = RememberingSocket & WebSocket;

let clock: FakeClock;
let board: Switchboard<WebSocket>;
let watch: PeopleWatch;
let charged: number;
let sockets: Socket[];

/** As after an eviction: everything is rebuilt from the attachments. */
function wake(): void {
  board = new Switchboard();
  charged = 0;
  watch = new PeopleWatch({
    board,
    time: clock,
    outbox: { tellText: (socket, text) => socket.send(text) },
    isKnown: (session) => !session.startsWith('unknown'),
    remember: (changed) => (changed?.socket as Socket | undefined)?.serializeAttachment(changed?.peer),
    chargeToken: (_, cost) => {
      charged += cost;
    },
  });
  watch.onDue((at) => clock.after(at - clock.now(), () => watch.settle(clock.now())));
  for (const socket of sockets) {
    const peer = readAttachment(socket.deserializeAttachment());
    if (peer === null || !('channel' in peer)) throw new Error('not a client');
    watch.restored(peer);
    board.addClient(socket, peer);
  }
}

beforeEach(() => {
  clock = new FakeClock();
  sockets = [];
  wake();
});

function joins(name: string, more: Partial<ClientPeer> = {}) {
  const socket = new RememberingSocket() as Socket;
  const channel = sockets.length + 1;
  const credential = { tokenId: `token ${channel}`, issuedAt: 0, expiresAt: 9e15, name };
  const peer = {
    role: 'operator',
    credential,
    channel,
    generation: 1,
    handles: [],
    connectedAt: channel,
  } as const;
  socket.serializeAttachment({ ...peer, ...more });
  sockets.push(socket);
  board.addClient(socket, { ...peer, ...more });
  return {
    socket,
    shows: (session = 's') => watch.shown(now(), session),
    hides: (session = 's') => watch.hidden(now(), session),
    asks: () => watch.asks(now(), true),
    drives: (is: boolean, session = 's') => watch.drives(channel, session, is),
    leaves() {
      const left = now();
      board.remove(socket);
      sockets = sockets.filter((other) => other !== socket);
      watch.left(left);
    },
    /** What it was told since the last call. */
    told: () =>
      socket.texts.splice(0).map((text) => {
        const { session, people } = JSON.parse(text) as { session: string; people: { name: string }[] };
        return `${session}: ${people.map(({ name }) => name).join(', ')}`;
      }),
  };

  function now(): ClientPeer {
    const known = board.clientPeer(channel);
    if (known === undefined) throw new Error('has left');
    return known;
  }
}

const passes = (ms = PEOPLE_TOLD_AFTER_MS) => clock.advance(ms);

describe('who watches a session', () => {
  it('[PP2] [PP3] [J6] is told to everybody who asked, a moment after it has changed', () => {
    const [anna, bob, old] = [joins('Anna'), joins('Bob', { role: 'viewer' }), joins('Old')];
    anna.asks();
    bob.asks();
    anna.shows();
    passes(PEOPLE_TOLD_AFTER_MS - 1);
    expect(anna.told()).toEqual([]);
    passes(1);
    expect([anna.told(), bob.told(), old.told()]).toEqual([['s: Anna'], ['s: Anna'], []]);
    bob.shows();
    anna.hides();
    passes();
    expect([anna.told(), bob.told(), old.told()]).toEqual([['s: Bob'], ['s: Bob'], []]);
    bob.leaves();
    passes();
    expect(anna.told()).toEqual(['s: ']);
  });

  it('[PP3] is not told if it has changed back by then, and there is no alarm while nothing changes', () => {
    const anna = joins('Anna');
    anna.asks();
    const script = joins('Script');
    script.shows();
    script.leaves();
    passes();
    expect([anna.told(), clock.pending]).toEqual([[], 0]);
    anna.shows();
    anna.shows();
    passes();
    expect([anna.told(), clock.pending]).toEqual([['s: Anna'], 0]);
  });

  it('[PP3] is told to nobody who did not ask, and sets no alarm then', () => {
    const [anna, bob] = [joins('Anna'), joins('Bob')];
    anna.shows();
    bob.shows();
    anna.drives(true);
    expect(clock.pending).toBe(0);
    passes();
    expect([anna.told(), bob.told()]).toEqual([[], []]);
  });

  it('[PP3] is told at once to whoever begins to ask, and paid for by its token', () => {
    const [anna, bob] = [joins('Anna'), joins('Bob')];
    anna.shows('s');
    anna.shows('t');
    bob.asks();
    bob.asks();
    expect(bob.told()).toEqual(['s: Anna', 't: Anna']);
    expect(charged).toBeGreaterThan(0);
    // What it was told has changed back: the others knew nothing else.
    anna.hides('t');
    passes();
    expect(bob.told()).toEqual(['t: ']);
  });

  it('[PP2] [J6] says who drives', () => {
    const [anna, bob] = [joins('Anna'), joins('Bob')];
    bob.asks();
    for (const one of [anna, bob]) one.shows();
    anna.drives(true);
    passes();
    const driving = () =>
      (JSON.parse(bob.socket.texts.at(-1) ?? '{}').people as { name: string; driving?: boolean }[])
        .filter((person) => person.driving)
        .map(({ name }) => name);
    expect(driving()).toEqual(['Anna']);
    anna.drives(false);
    bob.drives(true);
    passes();
    expect(driving()).toEqual(['Bob']);
  });

  it('[PP3] is told of a few sessions at a time, and then of the others', () => {
    const [anna, bob] = [joins('Anna'), joins('Bob')];
    bob.asks();
    for (let i = 0; i <= PEOPLE_TOLD_MAX_SESSIONS; i++) anna.shows(`s${i}`);
    passes();
    expect(bob.told()).toHaveLength(PEOPLE_TOLD_MAX_SESSIONS);
    passes();
    expect(bob.told()).toEqual([`s${PEOPLE_TOLD_MAX_SESSIONS}: Anna`]);
    expect(clock.pending).toBe(0);
  });

  it('[PP3] costs the same for 32 clients that come and go at once as for one', () => {
    const anna = joins('Anna');
    anna.asks();
    const others = Array.from({ length: 32 }, (_, i) => joins(`Person ${i}`));
    for (const one of others) one.shows();
    passes();
    expect(anna.told()).toHaveLength(1);
    for (const one of others.slice(1)) one.leaves();
    passes();
    expect(anna.told()).toEqual(['s: Person 0']);
  });

  it('[PP2] survives an eviction of the object', () => {
    const [anna, bob] = [joins('Anna'), joins('Bob')];
    bob.asks();
    anna.shows();
    passes();
    expect(bob.told()).toEqual(['s: Anna']);
    wake();
    expect(watch.in('s', bob.socket.deserializeAttachment() as ClientPeer)).toMatchObject({
      people: [{ name: 'Anna' }],
    });
    anna.leaves();
    passes();
    expect(bob.told()).toEqual(['s: ']);
  });

  it('[PP2] is bounded for each client, and about known sessions only', () => {
    const anna = joins('Anna');
    for (let i = 0; i <= WATCHED_REMEMBERED_MAX; i++) {
      anna.shows(`s${i}`);
      anna.drives(true, `s${i}`);
    }
    anna.shows('unknown');
    anna.drives(true, 'unknown');
    const { watching = [], drives = [] } = anna.socket.deserializeAttachment() as ClientPeer;
    for (const list of [watching, drives]) {
      expect(list).toHaveLength(WATCHED_REMEMBERED_MAX);
      expect([list[0], list.at(-1)]).toEqual(['s1', `s${WATCHED_REMEMBERED_MAX}`]);
    }
  });

  it('[PP4] [J6] is told to a client that sees one session about that one only', () => {
    const [anna, guest] = [joins('Anna'), joins('Guest', { role: 'viewer' })];
    const only = { session: 't' } as Partial<ClientPeer>;
    board.addClient(guest.socket, { ...(guest.socket.deserializeAttachment() as ClientPeer), ...only });
    anna.shows('s');
    anna.shows('t');
    guest.asks();
    expect(guest.told()).toEqual(['t: Anna']);
    anna.hides('s');
    anna.hides('t');
    passes();
    expect(guest.told()).toEqual(['t: ']);
    const asks = { ...(guest.socket.deserializeAttachment() as ClientPeer), ...only };
    anna.shows('s');
    expect([watch.in('s', asks), watch.fieldFor(asks)('s')]).toEqual([{}, '']);
  });
});
