/** Reads Server-Sent Events over a real HTTP connection. The reader can pause, be cut off, and reconnect. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';

export interface SentEvent {
  readonly name: string;
  readonly id: string;
  readonly data: Record<string, unknown>;
}

export class EventStream implements Disposable {
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;
  readonly #events: SentEvent[] = [];
  #buffer = '';
  #isOver = false;
  #wake: () => void = () => {};
  comments = 0;
  lastId: string | undefined;

  private constructor(outgoing: ClientRequest, response: IncomingMessage) {
    this.#request = outgoing;
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#read(text));
    for (const end of ['end', 'close', 'error']) {
      response.on(end, () => {
        this.#isOver = true;
        this.#wake();
      });
    }
  }

  /** Resolves with the status if it is not 200. */
  static open(url: URL, headers: Record<string, string>): Promise<EventStream | number> {
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { headers, agent: false });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        if (response.statusCode === 200) return resolve(new EventStream(outgoing, response));
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      outgoing.end();
    });
  }

  /** The next event; undefined when the stream has ended. */
  async next(): Promise<SentEvent | undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) {
        this.lastId = event.id;
        return event;
      }
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Everything printed until `pattern` matches; a snapshot starts the text again, as it does a screen. */
  async text(pattern: RegExp): Promise<string> {
    let text = '';
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      if (event.name === 'snapshot') text = '';
      if (event.name === 'snapshot' || event.name === 'data') text += event.data.data;
      if (pattern.test(text)) return text;
    }
    throw new Error(`the stream ended before ${pattern} was printed: ${JSON.stringify(text.slice(-200))}`);
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  /** Ends without closing, like a killed process. */
  [Symbol.dispose](): void {
    this.#request.on('error', () => {});
    this.#request.destroy();
  }

  #read(text: string): void {
    this.#buffer += text;
    for (let end = this.#buffer.indexOf('\n\n'); end >= 0; end = this.#buffer.indexOf('\n\n')) {
      const block = this.#buffer.slice(0, end);
      this.#buffer = this.#buffer.slice(end + 2);
      if (block.startsWith(':')) this.comments++;
      else this.#events.push(parse(block));
    }
    this.#wake();
  }
}

function parse(block: string): SentEvent {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  return { name: fields.event ?? '', id: fields.id ?? '', data: JSON.parse(fields.data ?? '{}') };
}
