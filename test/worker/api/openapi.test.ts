/** The document of the API: it names every address there is, and its references lead somewhere. */
import { expect, it } from 'vitest';
import { document } from '../../../worker/api/openapi.ts';
import { routes } from '../../../worker/app.ts';
import { TestRelay } from '../../support/test-relay.ts';

/** For pages and agents, not for callers of the API; described in docs/relay.md. */
const ELSEWHERE =
  /^\/$|^\/(?:assets|ws|w|status|\.well-known)(?:\/|$)|\/(?:login|login\/challenge|tickets|revocations|revocations\/:jti|openapi\.json|robots\.txt)$/;

type Operation = {
  parameters: { name: string; in: string }[];
  responses: Record<string, unknown>;
  requestBody?: unknown;
};
type Paths = Record<string, Record<string, Operation>>;

const written = document() as {
  openapi: string;
  paths: Paths;
  components: { schemas: Record<string, unknown> };
};

it('[R2] has every route of the API, with its parameters', () => {
  const declared = routes
    .filter(({ method, path }) => method !== 'OPTIONS' && !ELSEWHERE.test(path))
    .map(({ method, path }) => `${method} ${path.replace(':ws', '{workspace}').replace(':id', '{session}')}`);
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

it('[R2] refers to nothing that is not there', () => {
  const references = [...JSON.stringify(written).matchAll(/"\$ref":"([^"]+)"/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    expect(written.components.schemas).toHaveProperty(reference.replace('#/components/schemas/', ''));
  }
});

it('[R2] says of a body and a query what the checks say', () => {
  const create = JSON.stringify(written.paths['/api/workspaces/{workspace}/sessions']?.post?.requestBody);
  expect(create).toContain('"cols":{"type":"integer","minimum":1,"maximum":1000,"default":80}');
  expect(create).toContain('"additionalProperties":false');
  const wait = written.paths['/api/workspaces/{workspace}/sessions/{session}/wait']?.get;
  expect(wait?.parameters).toContainEqual(
    expect.objectContaining({
      name: 'for',
      in: 'query',
      required: true,
      schema: { type: 'string', enum: ['exit', 'text'] },
    }),
  );
});

it('[R2] is served to everybody', async () => {
  await using relay = await TestRelay.onWorkerd();
  const response = await fetch(new URL('/api/openapi.json', relay.url));
  expect(response.status).toBe(200);
  expect(Object.keys(((await response.json()) as { paths: Paths }).paths)).toEqual(
    Object.keys(written.paths),
  );
});
