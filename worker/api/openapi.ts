/** Builds the OpenAPI document of the API from the route table and the schemas that validate requests. */
import type * as v from 'valibot';
import type { Handler } from '../http/http.ts';
import { PRODUCT_VERSION } from '../platform/version.ts';
import type { Answers, Documentation, DocumentedRoute } from './documented-route.ts';
import { type JsonSchema, jsonSchema } from './json-schema.ts';
import { errorSchema, healthSchema, sessionSchema, workspaceHealthSchema } from './request/schemas.ts';
import { apiRoutes } from './routes.ts';

/** Error answers that every guarded route may give. */
const REFUSALS = {
  400: ['The request is not valid.', errorSchema],
  401: ['The credential is missing or not valid.', errorSchema],
  403: ['This credential does not allow that.', errorSchema],
  404: ['This is not a valid workspace name.', errorSchema],
  429: [
    'Too many requests, or too many invalid credentials; `Retry-After` says when to try again.',
    errorSchema,
  ],
} as const;

/** Additional error answers of routes that read a body. */
const BODY_REFUSALS = {
  408: ['The body did not arrive in time.', errorSchema],
  413: ['The body is too large.', errorSchema],
} as const;

/** Schemas that several answers share; the document defines each once, by name. */
const NAMED = new Map<v.GenericSchema, string>([
  [errorSchema, 'Error'],
  [sessionSchema, 'Session'],
]);

let text: string | undefined;

/** Built once and cached: building it costs several times as much as an ordinary request, and the route is public. */
export const showOpenapi: Handler = (c) => {
  text ??= JSON.stringify(document());
  return c.body(text, { headers: { 'Content-Type': 'application/json' } });
};

export function document(): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of [...apiRoutes, ...OTHERS]) {
    const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => `{${PARAMETERS[name]?.name ?? name}}`);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  const schemas = Object.fromEntries([...NAMED].map(([schema, name]) => [name, jsonSchema(schema)]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Holdfast',
      version: PRODUCT_VERSION,
      description:
        'Terminals on a machine that cannot be reached directly: the same sessions that the page shows.',
    },
    servers: [{ url: '/', description: 'The relay that this document comes from.' }],
    security: [{ bearer: [] }, { cookie: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        cookie: { type: 'apiKey', in: 'cookie', name: '__Host-holdfast-{workspace}' },
      },
    },
  };
}

type Described = Pick<DocumentedRoute, 'method' | 'path' | 'documentation'> & { readonly access?: unknown };

/** Routes that are handled elsewhere in the Worker. */
const OTHERS: readonly Described[] = [
  {
    method: 'GET',
    path: '/health',
    access: 'public',
    documentation: {
      operationId: 'showHealth',
      summary: 'Whether the relay is running.',
      answers: { 200: ['The relay is running.', healthSchema] },
    },
  },
  {
    method: 'GET',
    path: '/api/workspaces/:ws/health',
    documentation: {
      operationId: 'showWorkspaceHealth',
      summary: 'Whether the machine is online, and how many sessions and clients there are.',
      answers: { 200: ['The state of the workspace.', workspaceHealthSchema] },
    },
  },
];

const PARAMETERS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  ws: { name: 'workspace', description: 'The workspace; the credential must be for it.' },
  id: { name: 'session', description: 'The id of a session.' },
  number: { name: 'command', description: 'The number of a command.' },
  link: { name: 'link', description: 'The id of a share link.' },
  subscription: { name: 'subscription', description: 'The id of a subscription to pushes.' },
};

function operation({ path, access, documentation }: Described): JsonSchema {
  const isPublic = access === 'public';
  const { operationId, summary, description, answers } = documentation;
  const refusals = {
    ...(isPublic ? {} : REFUSALS),
    ...(documentation.body === undefined ? {} : BODY_REFUSALS),
  };
  const all: Answers = { ...refusals, ...answers };
  const responses = Object.fromEntries(
    Object.entries(all).map(([status, [description, body]]) => [status, { description, ...contentOf(body) }]),
  );
  const requestBody = requestBodyOf(documentation);
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    parameters: parametersOf(path, documentation),
    ...(requestBody === undefined ? {} : { requestBody }),
    ...(isPublic ? { security: [] } : {}),
    responses,
  };
}

function parametersOf(path: string, { query, headers = {} }: Documentation): JsonSchema[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    ...PARAMETERS[name],
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const written = query === undefined ? {} : jsonSchema(query, 'input');
  const required = (written.required ?? []) as readonly string[];
  const inQuery = Object.entries((written.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }),
  );
  const inHeader = Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

function requestBodyOf({ body, takesBytes = false }: Documentation): JsonSchema | undefined {
  if (body === undefined) return undefined;
  const bytes = takesBytes ? { 'application/octet-stream': {} } : {};
  return { required: true, content: { 'application/json': { schema: jsonSchema(body, 'input') }, ...bytes } };
}

function contentOf(body: v.GenericSchema | string | undefined): JsonSchema {
  if (body === undefined) return {};
  if (typeof body === 'string') return { content: { [body]: { schema: { type: 'string' } } } };
  const name = NAMED.get(body);
  const schema = name === undefined ? jsonSchema(body) : { $ref: `#/components/schemas/${name}` };
  return { content: { 'application/json': { schema } } };
}
