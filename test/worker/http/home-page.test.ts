/** What the relay's own address and unknown addresses answer: a page for people, JSON for programs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestRelay } from '../../support/test-relay.ts';

const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.onWorkerd();
});
afterAll(() => relay[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(new URL(path, relay.url), { headers, method });

describe('a browser', () => {
  it.each([
    ['/', 200],
    ['/nothing', 404],
    ['/w', 404],
    ['/index.html', 404],
  ])('[Y3] at %s gets a page, with status %i and the headers of a page', async (path, status) => {
    const answer = await get(path, BROWSER);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(answer.headers.get('X-Frame-Options')).toBe('DENY');
    expect(answer.headers.get('Vary')).toBe('Accept');
    expect(await answer.text()).toContain('<div id="root">');
  });

  it.each(['/api/nothing', '/ws/nothing', '/assets/nothing.js'])(
    '[Y3] at %s gets no page, because nobody navigates there',
    async (path) => {
      const answer = await get(path, BROWSER);
      expect(answer.status).toBe(404);
      expect(await answer.text()).not.toContain('<div id="root">');
    },
  );

  it('[Y3] gets no page for a request that is not a GET', async () => {
    const answer = await get('/', BROWSER, 'POST');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/);
  });
});

describe('a program', () => {
  it.each([
    ['anything', '*/*'],
    ['JSON', 'application/json'],
    ['nothing', ''],
  ])('[Y3] that accepts %s gets JSON at /', async (_, accept) => {
    const answer = await get('/', accept === '' ? {} : { Accept: accept });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('Vary')).toBe('Accept');
    expect(await answer.json()).toEqual({
      error: {
        code: 'not_found',
        message: 'There is nothing at GET /. The API is described at /api/openapi.json.',
      },
    });
  });
});
