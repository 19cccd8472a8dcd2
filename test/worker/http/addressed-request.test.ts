/** Requests as the runtime of a self-hosted relay passes them on: a path and a Host header, as they were sent. */
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { URL_PATH_MAX_CHARS } from '../../../protocol/limits.ts';
import { addressed } from '../../../worker/http/addressed-request.ts';
import { TOO_LONG } from '../../../worker/http/route-path.ts';
import { connectClient } from '../../support/relay-story.ts';
import { TestRelay } from '../../support/test-relay.ts';

describe('the address of a request', () => {
  /** Node's own `Request` has no address that is only a path. */
  const address = (line: string, host: string | undefined, scheme: string | undefined = 'http') => {
    const headers = new Headers(host === undefined ? {} : { 'X-Host': host });
    const get = (name: string) => headers.get(name === 'Host' ? 'X-Host' : name);
    const request = { url: line, method: 'GET', headers: Object.assign(new Headers(), { get }) };
    return addressed(request as unknown as Request, scheme).url;
  };

  it.each([
    ['/w/a?x=1', 'relay.example:8787', 'http://relay.example:8787/w/a?x=1'],
    ['/', '[::1]:80', 'http://[::1]/'],
    ['//evil.example/x', 'relay', 'http://relay//evil.example/x'],
    ['/\\evil.example/x', 'relay', 'http://relay//evil.example/x'],
    ['http://evil.example/x', 'relay', 'http://relay/http://evil.example/x'],
    ['http://evil.example/x', undefined, 'http://host.invalid/http://evil.example/x'],
    ['*', 'relay', 'http://relay/*'],
    ['/x', undefined, '/x'],
    ['/x', '', '/x'],
    ['/x', 'a b', '/x'],
    ['/x', 'relay/y', '/x'],
    ['/x', 'relay?y', '/x'],
    ['/x', 'relay#y', '/x'],
    ['/x', 'user@relay', '/x'],
    ['/x', 'relay\\y', '/x'],
    ['/x', 'relay, other', '/x'],
    ['/x', 'relay:port', '/x'],
  ])('[GT1] of %s with the Host %s is %s', (line, host, expected) => {
    expect(address(line, host)).toBe(expected);
  });

  it('[GT1] has the scheme of the relay, and is not touched where the runtime gives it', () => {
    expect(address('/x', 'relay', 'https')).toBe('https://relay/x');
    const given = new Request('http://relay.example/x');
    expect(addressed(given, undefined)).toBe(given);
  });

  it('[SEC21] [RL24] has no path that is longer than ours can be', () => {
    const longest = '/'.padEnd(URL_PATH_MAX_CHARS, 'a');
    expect(address(`${longest}?x`, 'relay')).toBe(`http://relay${longest}?x`);
    expect(address(`${longest}a?x`, 'relay')).toBe(`http://relay${TOO_LONG}`);
  });
});

describe('a request without a Host header', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await TestRelay.onWorkerd();
  });
  afterAll(() => relay[Symbol.asyncDispose]());

  function opened(): Socket {
    const socket = connect(Number(relay.url.port), relay.url.hostname);
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    return socket;
  }

  it('[X27] [RL24] is answered by the relay, in its own words and with its headers', async () => {
    const socket = opened();
    socket.write('GET /health HTTP/1.1\r\nConnection: close\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('X-Content-Type-Options: nosniff');
    expect(answer).toContain('The Host header is not an address.');
  });

  it('[X27] [SEC21] [RL24] delays nobody else, however many are sent without waiting for answers', async () => {
    const client = await connectClient(relay);
    const socket = opened();
    const requests = Buffer.from('GET /health HTTP/1.1\r\n\r\n'.repeat(2000));
    const more = () => {
      while (socket.writable && socket.write(requests));
    };
    let answers = 0;
    const isAnswered = new Promise<void>((resolve) => {
      socket.on('data', (data) => {
        answers += String(data).split('HTTP/1.1 400').length - 1;
        if (answers > 0) resolve();
      });
    });
    socket.on('drain', more);
    more();
    await isAnswered;
    for (let i = 0; i < 20; i++) await client.pong();
    expect(answers, 'the runtime would have answered all of them first').toBeLessThan(10_000);
  });
});
