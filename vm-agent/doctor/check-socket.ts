/**
 * Checks whether WebSockets get through to the relay, which some proxies prevent. A machine that has joined can try that
 * without disturbing its own agent: its token works with its key only, and this request offers none, so the relay
 * refuses it. If a proxy has removed the upgrade, the relay says so instead.
 */
import { randomBytes } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { TokenReading } from '../../node/token-file.ts';
import { readClaims } from '../../protocol/token.ts';
import { SUBPROTOCOL } from '../../protocol/version.ts';
import type { AgentConfig } from '../settings/config.ts';
import { payloadOf } from './check-token.ts';
import { type Finding, fail, ok } from './finding.ts';

const ANSWER_WITHIN_MS = 10_000;

export async function checkSocket(
  { relay, workspace }: Pick<AgentConfig, 'relay' | 'workspace'>,
  reading: TokenReading,
): Promise<Finding[]> {
  if (!reading.ok || readClaims(payloadOf(reading.token))?.key === undefined) return [];
  const answer = await upgrade(new URL(`/ws/agent/${workspace}`, relay), reading.token);
  if (answer === 403 || answer === 101) return [ok('websocket', 'WebSockets get through to the relay')];
  if (answer === 426) {
    return [
      fail(
        'websocket',
        'A proxy on the way to the relay removes WebSocket upgrades; configure it to pass on the headers Upgrade and Connection.',
      ),
    ];
  }
  const what = typeof answer === 'number' ? `answers ${answer}` : `does not answer: ${answer}`;
  return [fail('websocket', `The relay, or a proxy on the way, ${what} to a WebSocket; look into its log.`)];
}

/** The status, or why there is none. */
function upgrade(url: URL, token: string): Promise<number | string> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const asked = request(url, {
      agent: false,
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
        'Sec-WebSocket-Protocol': SUBPROTOCOL,
        Authorization: `Bearer ${token}`,
      },
    });
    const answered = ({ statusCode = 0 }: IncomingMessage) => {
      resolve(statusCode);
      asked.destroy();
    };
    asked.on('response', answered);
    asked.on('upgrade', answered);
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    asked.setTimeout(ANSWER_WITHIN_MS, () => {
      resolve(`nothing within ${ANSWER_WITHIN_MS / 1000} s`);
      asked.destroy();
    });
    asked.end();
  });
}
