/** What the owner does with machines over HTTP: the list, names, removal, audit trails, and the socket of the page. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FLEET_WATCHERS_MAX, MACHINE_LABEL_MAX_CHARS } from '../../../protocol/limits.ts';
import { MACHINES_CHANGED } from '../../../protocol/owner.ts';
import { readMachines } from '../../../protocol/owner-answers.ts';
import type { MachineReport } from '../../../worker/fleet/machine-report.ts';
import { OwnedRelay } from '../../support/owned-relay.ts';
import { connectAgent } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';

let relay: OwnedRelay;
beforeAll(async () => {
  relay = await OwnedRelay.start('miniflare');
});
afterEach(() => relay.removeAll());
afterAll(() => relay[Symbol.asyncDispose]());

const online = (changes: Partial<MachineReport> = {}): MachineReport => ({
  ...{ isOnline: true, since: 1_800_000_000_000, lastSeen: null, sessions: 2, version: '0.1.0' },
  ...{ attention: { state: 'asks', count: 1 }, ...changes },
});
const machine = (name: string) => `/api/owner/machines/${name}`;
const rename = (name: string, displayName: unknown) => relay.asOwner('PATCH', machine(name), { displayName });
const watch = (headers: Record<string, string>) =>
  ScriptedPeer.connect(new URL('/ws/owner', relay.url), headers, []);

describe("the owner's list", () => {
  it('[J3] [FL3] has machines that were invited and those that others gave a token, with what they reported', async () => {
    await relay.joins('build-1');
    const own = relay.relay.another();
    await using _agent = await connectAgent(own, { build: '1.2.3' });
    await expect.poll(async () => (await relay.list()).length).toBe(2);
    const [invited, given] = readMachines({ machines: await relay.list() }) ?? [];
    expect(invited).toMatchObject({ name: 'build-1', origin: 'invite', state: 'unknown', version: null });
    expect(invited?.fingerprint).toMatch(/^SHA256:/);
    expect(given).toMatchObject({
      ...{ name: own.workspace, origin: 'token', state: 'online', sessions: 1, version: '1.2.3' },
      ...{ fingerprint: null, joinedAt: null, displayName: null, since: expect.stringMatching(/Z$/) },
    });
  });

  it('[J3] [FL5] has the names that the owner gives, made printable, and bounded', async () => {
    await relay.joins('build-1');
    const renamed = await rename('build-1', '  The \u202efast\u0007 one ');
    expect([renamed.status, renamed.body]).toMatchObject([200, { displayName: 'The fast one' }]);
    expect((await relay.list())[0]).toMatchObject({ name: 'build-1', displayName: 'The fast one' });
    const longest = 'x'.repeat(MACHINE_LABEL_MAX_CHARS);
    expect((await rename('build-1', longest)).status).toBe(200);
    for (const bad of [`${longest}x`, 7, undefined])
      expect((await rename('build-1', bad)).status, String(bad)).toBe(400);
    expect((await relay.list())[0]?.displayName).toBe(longest);
    for (const none of ['\u200b ', null]) {
      await rename('build-1', 'again');
      expect((await rename('build-1', none)).body).toMatchObject({ displayName: null });
    }
    expect((await rename('nobody', 'x')).status).toBe(404);
  });

  it('[J3] [FL5] loses a machine that nobody invited only while it is away, because its token is not known here', async () => {
    await relay.reported({ local: online() });
    const refused = await relay.asOwner('DELETE', machine('local'));
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'machine_online']);
    await relay.reported({ local: online({ isOnline: false, lastSeen: Date.now() }) });
    expect((await relay.asOwner('DELETE', machine('local'))).status).toBe(204);
    expect(await relay.machines()).toEqual([]);
    expect((await relay.asOwner('DELETE', machine('local'))).status).toBe(404);
  });

  it('[J3] [AU6] leads to the audit trail of each machine, in pages, and of nothing else', async () => {
    const own = relay.relay.another();
    for (let i = 0; i < 3; i++) await (await connectAgent(own))[Symbol.asyncDispose]();
    await expect.poll(() => relay.machines()).toEqual([own.workspace]);
    const page = async (query: string) =>
      (await relay.ask('GET', `${machine(own.workspace)}/audit${query}`, await relay.cookie()))
        .body as unknown as { entries: { id: number; action: string }[]; more: boolean };
    const first = await page('?limit=1');
    expect([first.entries.length, first.more, first.entries[0]?.action]).toEqual([
      ...[1, true, 'agent_connected'],
    ]);
    const next = await page(`?limit=1&before=${first.entries[0]?.id}`);
    expect(next.entries[0]?.id).toBeLessThan(first.entries[0]?.id ?? 0);
    const before = await relay.relay.counts();
    expect((await relay.asOwner('GET', `${machine('nobody')}/audit`)).status).toBe(404);
    expect(await relay.relay.counts(), 'no object is made for it').toEqual(before);
  });
});

describe("the socket of the owner's page", () => {
  it('[J3] [FL6] says that the list has changed, and nothing else; heartbeats do not wake the fleet', async () => {
    await using page = await watch(await relay.cookie());
    await relay.joins('build-1');
    expect(await page.next()).toEqual(JSON.parse(MACHINES_CHANGED));
    await relay.reported({ 'build-1': online() });
    await page.message('machines_changed');
    await rename('build-1', 'x');
    await page.message('machines_changed');
    await relay.asOwner('DELETE', machine('build-1'));
    await page.message('machines_changed');
    await relay.relay.evictFleet();
    const { constructions } = await relay.relay.fleet();
    for (let i = 0; i < 5; i++) await page.pong();
    expect((await relay.relay.fleet()).constructions).toBe(constructions);
    await relay.joins('build-2');
    await page.message('machines_changed');
  });

  it('[FL6] is for the page only: with its cookie and our origin', async () => {
    const cookie = await relay.cookie();
    const { Origin: _, ...withoutOrigin } = cookie;
    for (const headers of [
      withoutOrigin,
      { ...cookie, Origin: 'https://example.com' },
      { Authorization: `Owner ${relay.owner.prove(relay.url.origin)}` },
      await relay.cookie(Date.now() - 3_600_000),
    ])
      await expect(watch(headers)).rejects.toThrow(/refused with 40[13]/);
    const plain = await relay.ask('GET', '/ws/owner', { ...cookie, 'Sec-Fetch-Site': 'same-origin' });
    expect(plain.status).toBe(426);
  });

  it('[FL6] is told nothing after its cookie has expired, and closed instead', async () => {
    await using page = await watch(await relay.cookie(Date.now() - 898_500));
    await page.pong();
    let code: number | undefined;
    void page.closed.then((closed) => {
      code = closed.code;
    });
    await expect
      .poll(async () => {
        await relay.reported({ local: online({ since: Date.now() }) });
        return code;
      })
      .toBe(4401);
  });

  it(`[FL6] there are ${FLEET_WATCHERS_MAX} of; one more closes the first, and one that talks is closed`, async () => {
    const cookie = await relay.cookie();
    const pages: ScriptedPeer[] = [];
    for (let i = 0; i < FLEET_WATCHERS_MAX; i++) {
      pages.push(await watch(cookie));
      await pages[i]?.pong();
    }
    pages.push(await watch(cookie));
    expect(await pages[0]?.closed).toMatchObject({ code: 4429 });
    await pages[1]?.pong();
    pages[1]?.send('hello');
    expect(await pages[1]?.closed).toMatchObject({ code: 4400 });
    await Promise.all(pages.map((page) => page[Symbol.asyncDispose]()));
  });
});
