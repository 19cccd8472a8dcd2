/** The OpenAPI document: it lists every route, and its references are valid. */
import { expect, it } from 'vitest';
import { document } from '../../../worker/api/openapi.ts';
import { routes } from '../../../worker/app.ts';
import { TestRelay } from '../../support/test-relay.ts';

/** For pages, machines and coding agents, not for callers of the API; described in docs/relay.md and docs/assistants.md. */
const ELSEWHERE =
  /^\/$|^\/(?:assets|ws|w|mcp|status|\.well-known)(?:\/|$)|\/(?:login|login\/challenge|tickets|device-codes|revocations|revocations\/:jti|openapi\.json|robots\.txt)$|^\/api\/(join|owner)/;

type Operation = {
  operationId: string;
  description?: string;
  security?: unknown[];
  parameters: { name: string; in: string }[];
  responses: Record<string, unknown>;
  requestBody?: unknown;
};
type Paths = Record<string, Record<string, Operation>>;

const written = document() as {
  openapi: string;
  servers: { url: string }[];
  paths: Paths;
  components: { schemas: Record<string, unknown> };
};

it('[R2] has every route of the API, with its parameters', () => {
  const declared = routes
    .filter(({ method, path }) => method !== 'OPTIONS' && !ELSEWHERE.test(path))
    .map(({ method, path }) => {
      const named = path.replace(':ws', '{workspace}').replace(':id', '{session}');
      const others = { ':number': '{command}', ':subscription': '{subscription}', ':link': '{link}' };
      return `${method} ${Object.entries(others).reduce((text, [from, to]) => text.replace(from, to), named)}`;
    });
  const documented = Object.entries(written.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.toSorted()).toEqual(declared.toSorted());
  expect(written.openapi).toBe('3.1.0');
  for (const [path, operations] of Object.entries(written.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters, responses } of Object.values(operations)) {
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(inPath);
      expect(Object.keys(responses).length).toBeGreaterThan(0);
    }
  }
});

it('[R2] has no reference to something that does not exist', () => {
  const references = [...JSON.stringify(written).matchAll(/"\$ref":"([^"]+)"/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    expect(written.components.schemas).toHaveProperty(reference.replace('#/components/schemas/', ''));
  }
});

it('[R2] describes bodies and queries as the validation does', () => {
  const create = JSON.stringify(written.paths['/api/workspaces/{workspace}/sessions']?.post?.requestBody);
  expect(create).toContain('"cols":{"type":"integer","minimum":1,"maximum":1000,"default":80}');
  expect(create).toContain('"additionalProperties":false');
  const wait = written.paths['/api/workspaces/{workspace}/sessions/{session}/wait']?.get;
  expect(wait?.parameters).toContainEqual(
    expect.objectContaining({
      name: 'for',
      in: 'query',
      required: true,
      schema: { type: 'string', enum: ['exit', 'text', 'command', 'attention'] },
    }),
  );
});

const operations = Object.entries(written.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

it('[D10] names every operation once, and its server', () => {
  const names = operations.map(({ operation }) => operation.operationId);
  expect(names.filter((name) => !/^[a-z][a-zA-Z]+$/.test(name ?? ''))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  expect(written.servers.map(({ url }) => url)).toEqual(['/']);
});

it('[D10] lists refusals of credential, workspace and rate for every guarded route, and size limits for bodies', () => {
  const documented = ({ operation }: (typeof operations)[number]) => Object.keys(operation.responses);
  for (const each of operations.filter(({ operation }) => operation.security?.length !== 0))
    expect(documented(each), each.path).toEqual(expect.arrayContaining(['400', '401', '403', '404', '429']));
  for (const each of operations.filter(({ operation }) => operation.requestBody !== undefined))
    expect(documented(each), each.path).toEqual(expect.arrayContaining(['408', '413']));
});

it('[D10] says that wait takes exactly one of text and pattern', () => {
  const wait = written.paths['/api/workspaces/{workspace}/sessions/{session}/wait']?.get;
  expect(wait?.description).toMatch(/exactly one of `text` and `pattern`/);
});

it('[D10] lists every status of invalid requests, with its body', async () => {
  await using relay = await TestRelay.onWorkerd();
  const bearer = await relay.bearer('operator');
  const large = 'x'.repeat(2 * 1024 * 1024);
  const requests: readonly [what: string, workspace: string, init: RequestInit][] = [
    ['no credential', relay.workspace, {}],
    ['an invalid credential', relay.workspace, { headers: { Authorization: 'Bearer x.y.z' } }],
    ['another workspace', 'another', { headers: bearer }],
    ['an invalid workspace name', 'no%20name', { headers: bearer }],
    ['no machine', relay.workspace, { headers: bearer }],
    ['a body that is not JSON', relay.workspace, { headers: bearer, body: '{' }],
    ['a body that is too large', relay.workspace, { headers: bearer, body: large }],
  ];
  const undocumented: string[] = [];
  for (const { path, method, operation } of operations) {
    for (const [what, workspace, { body, ...init }] of requests) {
      if (body !== undefined && operation.requestBody === undefined) continue;
      const address = new URL(
        path.replace('{workspace}', workspace).replace('{session}', 'abcdefgh'),
        relay.url,
      );
      if (path === '/terminal/ws') address.searchParams.set('workspace', decodeURIComponent(workspace));
      const response = await fetch(address, { method, ...init, ...(body === undefined ? {} : { body }) });
      const answer = await response.text();
      const says = operation.responses[response.status] as { content?: Record<string, unknown> } | undefined;
      const type = response.headers.get('Content-Type')?.split(';')[0] ?? '';
      if (says === undefined || (answer !== '' && says.content?.[type] === undefined))
        undocumented.push(`${method} ${path}, ${what}: ${response.status} ${type}`);
    }
  }
  expect(undocumented).toEqual([]);
});

it('[R2] is served to everybody', async () => {
  await using relay = await TestRelay.onWorkerd();
  const response = await fetch(new URL('/api/openapi.json', relay.url));
  expect(response.status).toBe(200);
  expect(Object.keys(((await response.json()) as { paths: Paths }).paths)).toEqual(
    Object.keys(written.paths),
  );
});
