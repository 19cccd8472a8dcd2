/**
 * Lists every address that a process and its descendants listen on: TCP, UDP and Unix sockets, as reported by the
 * kernel. Linux only.
 */
import { readFileSync } from 'node:fs';
import { familyOf, openFiles } from './process-table.ts';

const TCP_LISTENING = '0A';
/** An unconnected UDP socket receives from anybody. */
const UDP_UNCONNECTED = '07';
/** A listening Unix socket has the flag SO_ACCEPTCON. */
const UNIX_LISTENING = 0x10000;

/** `127.0.0.1:8787`, `[::1]:8787`, `udp 0.0.0.0:53`, `unix /path`; sorted. */
export function listeningSockets(root: number): string[] {
  const held = new Set(familyOf(root).flatMap(({ pid }) => openFiles(pid)));
  const isHeld = (inode: string) => held.has(`socket:[${inode}]`);
  const inet = (file: string, state: string, prefix: string) =>
    rows(file).flatMap(([, local = '', , rowState, , , , , , inode = '']) =>
      rowState === state && isHeld(inode) ? [prefix + addressOf(local)] : [],
    );
  const unix = rows('unix').flatMap(([, , , flags = '', , , inode = '', path = '(unnamed)']) =>
    (Number.parseInt(flags, 16) & UNIX_LISTENING) !== 0 && isHeld(inode) ? [`unix ${path}`] : [],
  );
  return [
    ...inet('tcp', TCP_LISTENING, ''),
    ...inet('tcp6', TCP_LISTENING, ''),
    ...inet('udp', UDP_UNCONNECTED, 'udp '),
    ...inet('udp6', UDP_UNCONNECTED, 'udp '),
    ...unix,
  ].sort();
}

function rows(file: string): string[][] {
  const lines = readFileSync(`/proc/net/${file}`, 'utf8').trim().split('\n').slice(1);
  return lines.map((line) => line.trim().split(/\s+/));
}

/** The kernel prints addresses as little-endian words in hexadecimal. */
function addressOf(text: string): string {
  const [address = '', port = ''] = text.split(':');
  const bytes = (address.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  const shown = bytes.length === 4 ? bytes.join('.') : `[${ipv6(bytes)}]`;
  return `${shown}:${Number.parseInt(port, 16)}`;
}

function ipv6(bytes: readonly number[]): string {
  const words = Array.from({ length: 8 }, (_, i) =>
    (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${words.join(':')}]`).hostname.slice(1, -1);
}
