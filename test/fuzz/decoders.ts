/** Every decoder of data from other programs, with examples of valid input. */
import { decodeChallenge, decodeKey } from '../../protocol/agent-key.ts';
import { encodeBase64url } from '../../protocol/base64url.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { decodeFrame, decodeSize, encodeFrame, encodeSize } from '../../protocol/frame.ts';
import { parseAgentMessage, parseRelayMessage } from '../../protocol/messages/agent-message.ts';
import { parseClientMessage } from '../../protocol/messages/client-message.ts';
import { parseServerMessage } from '../../protocol/messages/server-message.ts';
import { readRenewalCredential } from '../../protocol/page-login.ts';
import { judgeOffer, ticketIn } from '../../protocol/version.ts';
import { decodeMetadata, encodeMetadata } from '../../vm-agent/disk/metadata.ts';
import { decodeJournal } from '../../vm-agent/disk/record.ts';
import { decodeSnapshot, encodeSnapshot } from '../../vm-agent/disk/snapshot-file.ts';
import { decodeKeyFile, encodeKeyFile } from '../../vm-agent/identity/key-file.ts';
import { directoryOf } from '../../vm-agent/screen/sequences/cwd.ts';
import { progressOf } from '../../vm-agent/screen/sequences/progress.ts';
import { readCookies } from '../../worker/gate/cookie.ts';
import {
  AGENT_MESSAGES,
  CLIENT_MESSAGES,
  RELAY_MESSAGES,
  SERVER_MESSAGES,
} from '../protocol/message-examples.ts';
import { DISGUISED_QUERIES, QUERIES } from '../support/terminal-queries.ts';
import { journalFile } from '../vm-agent/disk/journal-bytes.ts';
import { filterFaults } from './filter-faults.ts';

export interface Decoder {
  readonly name: string;
  readonly examples: readonly Uint8Array[];
  /** Parses, or refuses in the one allowed way; any other exception is a finding. */
  read(bytes: Uint8Array<ArrayBuffer>): void | Promise<void>;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytesOf = (value: string) => new TextEncoder().encode(value);
const jsonOf = (messages: object) =>
  Object.values(messages).map((message) => bytesOf(JSON.stringify(message)));

/** The one way to refuse a frame or a message. */
function refusing(read: (bytes: Uint8Array<ArrayBuffer>) => unknown): Decoder['read'] {
  return (bytes) => {
    try {
      read(bytes);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
    }
  };
}

const FRAMES = [
  encodeFrame({ kind: 'output', channel: 0, handle: 7, offset: 123_456 }, bytesOf('hello\r\n')),
  encodeFrame({ kind: 'input', channel: 5, handle: 7, offset: 3 }, bytesOf('ls\r')),
  encodeFrame({ kind: 'resize', channel: 0, handle: 7, offset: 9 }, encodeSize({ cols: 80, rows: 24 })),
  encodeFrame({ kind: 'ack', channel: 0, handle: 7, offset: 2 ** 53 - 1 }),
];

export const DECODERS: readonly Decoder[] = [
  {
    name: 'data frame',
    examples: FRAMES,
    read: refusing((bytes) => {
      const { payload, ...header } = decodeFrame(bytes);
      if (header.kind === 'resize') decodeSize(payload);
      // Each frame has only one encoding: anything that encodes differently was not a frame.
      if (Buffer.compare(encodeFrame(header, payload), bytes) !== 0) throw new Error('read as another frame');
    }),
  },
  {
    name: 'client message',
    examples: jsonOf(CLIENT_MESSAGES),
    read: refusing((bytes) => parseClientMessage(text(bytes))),
  },
  {
    name: 'server message',
    examples: jsonOf(SERVER_MESSAGES),
    read: refusing((bytes) => parseServerMessage(text(bytes))),
  },
  {
    name: 'agent message',
    examples: jsonOf(AGENT_MESSAGES),
    read: refusing((bytes) => parseAgentMessage(text(bytes))),
  },
  {
    name: 'relay message',
    examples: jsonOf(RELAY_MESSAGES),
    read: refusing((bytes) => parseRelayMessage(text(bytes))),
  },
  {
    name: 'subprotocol offer',
    examples: ['holdfast.1', 'holdfast.1, holdfast.ticket.abc', 'holdfast.99, other'].map(bytesOf),
    read: (bytes) => void [judgeOffer(text(bytes)), ticketIn(text(bytes))],
  },
  {
    name: 'cookie header',
    examples: ['a=b; holdfast-8787-local=token; c=d', '__Host-holdfast-x=1'].map(bytesOf),
    read: (bytes) => void readCookies(text(bytes), 'holdfast-8787-local'),
  },
  {
    name: "agent's key header",
    examples: ['hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo', 'A'.repeat(43)].map(bytesOf),
    read: (bytes) => {
      const key = decodeKey(text(bytes));
      // Each key has only one encoding: a pin is compared as text.
      if (key !== null && encodeBase64url(key) !== text(bytes)) throw new Error('a second spelling');
    },
  },
  {
    name: 'challenge header',
    examples: [`${'A'.repeat(43)}.${'A'.repeat(43)}`].map(bytesOf),
    read: (bytes) => void decodeChallenge(text(bytes)),
  },
  {
    name: 'key file',
    examples: [encodeKeyFile(new Uint8Array(32).fill(7))].map(bytesOf),
    read: (bytes) => {
      const secret = decodeKeyFile(text(bytes));
      if (secret !== null && encodeKeyFile(secret).trim() !== text(bytes).trim())
        throw new Error('read as another');
    },
  },
  {
    name: 'renewal of a login',
    examples: ['renewal~challenge~signature', 'a.b.c~d.e.f~g', '~~'].map(bytesOf),
    read: (bytes) => void readRenewalCredential(text(bytes)),
  },
  {
    name: 'directory report (OSC 7)',
    examples: ['file:///srv/a%20b', 'file://host/tmp', 'kitty-shell-cwd://h/x'].map(bytesOf),
    read: (bytes) => void directoryOf(text(bytes)),
  },
  {
    name: 'progress report (OSC 9;4)',
    examples: ['4;1;42', '4;2', '4;0;'].map(bytesOf),
    read: (bytes) => {
      const { percent = 0 } = progressOf(text(bytes)) ?? {};
      if (!(percent >= 0 && percent <= 100)) throw new Error(`${percent} percent`);
    },
  },
  {
    name: 'terminal output',
    examples: [...QUERIES, ...DISGUISED_QUERIES].map(({ query }) => bytesOf(`a${query}漢`)),
    read: (bytes) => {
      const [fault] = filterFaults(bytes);
      if (fault !== undefined) throw new Error(fault);
    },
  },
  {
    name: 'journal file',
    examples: [
      journalFile([
        [{ print: bytesOf('some output') }, { cols: 80, rows: 24 }],
        [{ print: bytesOf('more') }],
      ]),
    ],
    read: (bytes) => void decodeJournal(Buffer.from(bytes)),
  },
  {
    name: 'snapshot file',
    examples: [
      encodeSnapshot({ offset: 9, size: { cols: 80, rows: 24 }, data: bytesOf('screen'), continues: 1 }),
    ],
    read: (bytes) => void decodeSnapshot(Buffer.from(bytes)),
  },
  {
    name: 'metadata file',
    examples: [
      encodeMetadata({
        command: 'sh',
        args: [],
        cwd: '/',
        env: {},
        name: 'Build',
        key: null,
        title: null,
        place: 1,
        size: { cols: 80, rows: 24 },
        createdAt: '2026-11-16T03:20:00.000Z',
        exit: null,
      }),
    ],
    read: (bytes) => void decodeMetadata(Buffer.from(bytes)),
  },
];
