import { expect, it } from 'vitest';
import { isLoopback } from '../../../../web/ui/login/device-code.ts';

it.each([
  ['127.0.0.1', true],
  ['127.3.2.1', true],
  ['localhost', true],
  ['a.localhost', true],
  ['[::1]', true],
  ['relay.example.com', false],
  ['127.0.0.1.example.com', false],
  ['localhost.example.com', false],
  ['192.168.1.7', false],
])('[J5] a link to %s works on this computer only: %s', (hostname, isOne) => {
  expect(isLoopback(hostname)).toBe(isOne);
});
