/** Uses the HTTP API as a script would: real requests to a real relay. */

import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { EventStream } from './event-stream.ts';
import { fetchOnce } from './fetch-once.ts';
import type { TestRelay } from './test-relay.ts';
import { PROMPT } from './type-into.ts';

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface Picture {
  readonly data: string;
  readonly cols: number;
  readonly rows: number;
  readonly offset: number;
}

/** Makes the keys of sessions differ. */
let created = 0;

type Place = Pick<TestRelay, 'url' | 'workspace'>;

export class ApiClient {
  readonly #relay: Place;
  readonly #headers: Record<string, string>;

  private constructor(relay: Place, headers: Record<string, string>) {
    this.#relay = relay;
    this.#headers = headers;
  }

  static async of(relay: TestRelay, role: ClientRole = 'operator'): Promise<ApiClient> {
    return new ApiClient(relay, await relay.bearer(role));
  }

  /** With the link that `npm start` prints. */
  static withLink(link: string): ApiClient {
    const url = new URL(link);
    const workspace = url.pathname.replace('/w/', '');
    return new ApiClient({ url, workspace }, { Authorization: `Bearer ${url.hash.replace('#token=', '')}` });
  }

  url(path: string): URL {
    return new URL(`/api/workspaces/${this.#relay.workspace}${path}`, this.#relay.url);
  }

  async ask<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const raw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
    const response = await fetchOnce(this.url(path), {
      method,
      headers: { ...this.#headers, ...headers },
      ...(body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as string }),
    });
    const text = await response.text();
    const isJson = response.headers.get('Content-Type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  /** Creates a `sh` whose prompt ends its row; see PROMPT. */
  async create(options: Record<string, unknown> = {}): Promise<SessionInfo> {
    const key = `created-${++created}`;
    for (;;) {
      const session = { command: 'sh', env: { PS1: PROMPT }, key, ...options };
      const { status, body } = await this.ask<SessionInfo>('POST', '/sessions', session);
      if (status === 201 || status === 200) return body;
      // The relay waits for the machine for a bounded time, which may be too short while this one is busy. With the same
      // key, the next request creates it or gets it.
      if (status !== 504) throw new Error(`${status} ${JSON.stringify(body)}`);
    }
  }

  /** How the program of a session ended, once it has. */
  async exit(id: string): Promise<Record<string, unknown>> {
    for (;;) {
      const { status, body } = await this.ask('GET', `/sessions/${id}/wait?for=exit`);
      if (status !== 408) return body;
    }
  }

  type(id: string, data: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask('POST', `/sessions/${id}/input`, { data }, headers);
  }

  /** Types a line and waits until the session has printed `text`. */
  async run(id: string, line: string, text: string): Promise<void> {
    const { offset } = await this.snapshot(id);
    await this.type(id, `${line}\n`);
    await this.waitFor(id, { text, since: `${offset}` });
  }

  async waitFor(id: string, query: Record<string, string>): Promise<Answer> {
    const answer = await this.ask(
      'GET',
      `/sessions/${id}/wait?${new URLSearchParams({ for: 'text', ...query })}`,
    );
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }

  async snapshot(id: string, format: 'ansi' | 'text' | 'html' = 'text'): Promise<Picture> {
    for (;;) {
      const { status, body } = await this.ask<Picture>('GET', `/sessions/${id}/snapshot?format=${format}`);
      if (status === 200) return body;
      // The relay waits for the machine for a bounded time, which may be too short while this one is busy.
      if (status !== 504) throw new Error(`${status} ${JSON.stringify(body)}`);
    }
  }

  async text(id: string): Promise<string> {
    return (await this.snapshot(id)).data.trimEnd();
  }

  async session(id: string): Promise<SessionInfo> {
    return (await this.ask<SessionInfo>('GET', `/sessions/${id}`)).body;
  }

  async stream(id: string, query = '', headers: Record<string, string> = {}): Promise<EventStream> {
    const stream = await this.tryStream(id, query, headers);
    if (typeof stream === 'number') throw new Error(`the stream was answered with ${stream}`);
    return stream;
  }

  tryStream(id: string, query = '', headers: Record<string, string> = {}): Promise<EventStream | number> {
    return EventStream.open(this.url(`/sessions/${id}/stream${query}`), { ...this.#headers, ...headers });
  }
}
