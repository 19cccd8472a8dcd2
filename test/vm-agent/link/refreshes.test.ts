/** How often descriptions are sent to the relay, whoever requests them, attaches and leaves. */
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../protocol/errors.ts';
import { REFRESH_EVERY_MS, REFRESHES_WAITING_MAX } from '../../../protocol/limits.ts';
import { Refreshes } from '../../../vm-agent/link/refreshes.ts';
import { NEWS_BURST, NEWS_EVERY_MS, PacedNews } from '../../../vm-agent/session/paced-news.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function refreshes() {
  const clock = new FakeClock();
  const said: string[] = [];
  const it = new Refreshes({
    clock,
    tell: (session) => said.push(`tell ${session ?? 'all'}`),
    answer: ({ channel, request }) => said.push(`answer ${channel} ${request}`),
  });
  return { clock, said, refreshes: it };
}

describe('refreshes', () => {
  it('[AG9] are answered at once, and the next ones after a pause for all who asked by then', () => {
    const { clock, refreshes: it, said } = refreshes();
    it.ask(undefined, { channel: 1, request: 'a' });
    expect(said.splice(0)).toEqual(['tell all', 'answer 1 a']);
    it.ask(undefined, { channel: 1, request: 'b' });
    it.ask('s', { channel: 2, request: 'c' });
    clock.advance(REFRESH_EVERY_MS - 1);
    expect(said).toEqual([]);
    clock.advance(1);
    expect(said.splice(0)).toEqual(['tell all', 'answer 1 b', 'answer 2 c']);
    clock.advance(REFRESH_EVERY_MS);
    it.ask('s', { channel: 2, request: 'd' });
    expect(said).toEqual(['tell s', 'answer 2 d']);
    expect(clock.pending).toBe(0);
  });

  it('[X14] report single sessions once each', () => {
    const { clock, refreshes: it, said } = refreshes();
    it.ask('first', { channel: 1, request: 'a' });
    said.splice(0);
    for (const [i, session] of ['s', 't', 's', 's'].entries()) it.ask(session, { channel: i, request: 'r' });
    clock.advance(REFRESH_EVERY_MS);
    expect(said.filter((line) => line.startsWith('tell'))).toEqual(['tell s', 'tell t']);
  });

  it('[X14] happen at most four times a second, however fast clients ask; beyond a few waiting ones they are refused', () => {
    const { clock, refreshes: it, said } = refreshes();
    let refused = 0;
    for (let i = 0; i < 1_000; i++) {
      try {
        it.ask(undefined, { channel: i % 2, request: `${i}` });
      } catch (error) {
        expect((error as Refusal).code).toBe('slow_down');
        refused++;
      }
      clock.advance(8);
    }
    expect(said.filter((line) => line === 'tell all').length).toBeLessThanOrEqual(
      1 + 8_000 / REFRESH_EVERY_MS,
    );
    expect(refused).toBeGreaterThan(0);
    expect(said.filter((line) => line.startsWith('answer')).length).toBeGreaterThan(100);
  });

  it('[X14] of one client wait in a limited number', () => {
    const { refreshes: it } = refreshes();
    const ask = () => it.ask(undefined, { channel: 1, request: 'r' });
    ask();
    for (let i = 0; i < REFRESHES_WAITING_MAX; i++) ask();
    expect(ask).toThrow(Refusal);
    it.ask(undefined, { channel: 2, request: 'r' });
  });

  it('[AG1] requested on an earlier link are not answered on the next', () => {
    const { clock, refreshes: it, said } = refreshes();
    it.ask(undefined, { channel: 1, request: 'a' });
    it.ask(undefined, { channel: 1, request: 'b' });
    said.splice(0);
    it.forget();
    clock.advance(REFRESH_EVERY_MS);
    expect(said).toEqual([]);
  });
});

describe('reports of attached and detached clients', () => {
  it('[X14] are sent at once while rare, then twice a second, and always the last one', () => {
    const clock = new FakeClock();
    const about = { attached: 0 };
    const told: number[] = [];
    const news = new PacedNews<typeof about>(clock, ({ attached }) => told.push(attached));
    for (let i = 1; i <= 1_000; i++) {
      about.attached = i;
      news.changed(about);
      clock.advance(10);
    }
    expect(told.slice(0, NEWS_BURST)).toEqual(Array.from({ length: NEWS_BURST }, (_, i) => i + 1));
    expect(told.length).toBeLessThanOrEqual(NEWS_BURST + 10_000 / NEWS_EVERY_MS + 1);
    clock.advance(NEWS_EVERY_MS);
    expect(told.at(-1)).toBe(1_000);
    expect(clock.pending).toBe(0);
  });

  it('[X14] are not sent for sessions that are gone', () => {
    const clock = new FakeClock();
    const told: object[] = [];
    const news = new PacedNews<object>(clock, (about) => told.push(about));
    const about = {};
    for (let i = 0; i < 2 * NEWS_BURST; i++) news.changed(about);
    told.splice(0);
    news.forget(about);
    clock.advance(60_000);
    expect([told, clock.pending]).toEqual([[], 0]);
  });
});
