import { describe, expect, it } from 'vitest';
import { PUSH_ENDPOINT_MAX_CHARS } from '../../../protocol/limits.ts';
import { allowedEndpoint, readPushHosts } from '../../../worker/push/push-hosts.ts';

const shipped = readPushHosts(undefined);

describe('an endpoint', () => {
  it.each([
    'https://fcm.googleapis.com/fcm/send/abc:def',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/abc',
    'https://wns2-par02p.notify.windows.com/w/?token=abc',
    'https://FCM.googleapis.com:443/x',
  ])('[A5] %s is one of the shipped list', (endpoint) => {
    expect(allowedEndpoint(endpoint, shipped)).not.toBeNull();
  });

  it.each([
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'https://user@fcm.googleapis.com/x',
    'https://user:pass@fcm.googleapis.com/x',
    'https://fcm.googleapis.com/x#y',
    'https://fcm.googleapis.com.evil.example/x',
    'https://fcm.googleapis.com./x',
    'https://evilfcm.googleapis.com/x',
    'https://x.fcm.googleapis.com/x',
    'https://push.apple.com/x',
    'https://evilpush.apple.com/x',
    'https://example.com/?https://fcm.googleapis.com/',
    'https://127.0.0.1/x',
    'https://0x7f.1/x',
    'https://[::1]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest/meta-data',
    'https://localhost/x',
    'https://relay.internal/x',
    'ftp://fcm.googleapis.com/x',
    'file:///etc/passwd',
    'data:text/plain,x',
    '//fcm.googleapis.com/x',
    'fcm.googleapis.com',
    '',
  ])('[A5] [SEC24] [PU3] %j is not fetched', (endpoint) => {
    expect(allowedEndpoint(endpoint, shipped)).toBeNull();
  });

  it('[A5] may be as long as the limit, and not longer', () => {
    const start = 'https://fcm.googleapis.com/';
    const whole = start + 'x'.repeat(PUSH_ENDPOINT_MAX_CHARS - start.length);
    expect(allowedEndpoint(whole, shipped)).not.toBeNull();
    expect(allowedEndpoint(`${whole}x`, shipped)).toBeNull();
  });
});

describe('RELAY_PUSH_HOSTS', () => {
  it.each([
    ['push.example.com', 'https://push.example.com/x', true],
    ['Push.Example.com', 'https://push.example.com/x', true],
    ['push.example.com', 'https://push.example.com:8443/x', false],
    ['push.example.com:8443', 'https://push.example.com:8443/x', true],
    ['push.example.com:8443', 'https://push.example.com/x', false],
    ['push.example.com:443', 'https://push.example.com/x', true],
    ['*.example.com', 'https://a.b.example.com/x', true],
    ['*.example.com', 'https://example.com/x', false],
    ['127.0.0.1:8443', 'https://127.0.0.1:8443/x', true],
    ['[::1]:8443', 'https://[::1]:8443/x', true],
    ['a.example, b.example\tc.example', 'https://c.example/x', true],
    // None of these is a host, or stands for hosts of anybody.
    ['*', 'https://example.com/x', false],
    ['*.', 'https://example.com/x', false],
    ['*.com', 'https://example.com/x', false],
    ['*.0.0.1', 'https://127.0.0.1/x', false],
    ['https://push.example.com', 'https://push.example.com/x', false],
    ['push.example.com/path', 'https://push.example.com/path', false],
    ['user@push.example.com', 'https://push.example.com/x', false],
  ])('[A5] %j: %s is %s', (setting, endpoint, isAllowed) => {
    expect(allowedEndpoint(endpoint, readPushHosts(setting)) !== null).toBe(isAllowed);
  });

  it('[A5] adds to the shipped list', () => {
    expect(allowedEndpoint('https://fcm.googleapis.com/x', readPushHosts('push.example.com'))).not.toBeNull();
  });
});
