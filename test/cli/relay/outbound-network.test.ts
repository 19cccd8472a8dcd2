import { expect, it } from 'vitest';
import { reachableAddresses } from '../../../cli/relay/outbound-network.ts';
import { allowedEndpoint, readPushHosts } from '../../../worker/push/push-hosts.ts';

it.each([
  [undefined, []],
  ['', []],
  ['push.example.com *.push.example.com', []],
  ['localhost:8443', []],
  ['127.0.0.1:8443', ['127.0.0.1/32']],
  ['push.example.com,10.0.0.5', ['10.0.0.5/32']],
  ['[::1]:8443', ['::1/128']],
  ['[fd00::1], 127.0.0.1:1 127.0.0.1:2', ['fd00::1/128', '127.0.0.1/32']],
  ['127.0.0.0/8', []],
  ['0177.0.0.1', []],
])('[A5] [SEC24] RELAY_PUSH_HOSTS %j opens %j besides public addresses', (setting, addresses) => {
  expect(reachableAddresses(setting)).toEqual(['public', ...addresses]);
});

it('[A5] an address that is opened is one that the Worker accepts, with its port', () => {
  const hosts = readPushHosts('127.0.0.1:8443');
  expect(allowedEndpoint('https://127.0.0.1:8443/push', hosts)).not.toBeNull();
  expect(allowedEndpoint('https://127.0.0.1/push', hosts)).toBeNull();
});
