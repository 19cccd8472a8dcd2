/** The entry of a test relay, in JavaScript: what a test can do that a user cannot. */

/**
 * Wraps the product's entry without changing the product. Each workspace has its own time and counts. Its time is the
 * platform's plus all jumps so far; what happened before a jump keeps its time. An alarm that a jump has passed fires
 * at once.
 */
export const TEST_ENTRY = `
import app, { Fleet as ProductFleet, Workspace as Product } from './product.js';
export { TerminalInlet } from './product.js';
const objects = new Map();
/** What workspaces have told the fleet. */
const reports = [];
function objectOf(id) {
  const key = String(id);
  const fresh = { constructions: 0, sockets: 0, messages: 0, ends: 0, alarms: 0, hints: [], jumps: [], alarmAt: Infinity, failing: false };
  if (!objects.has(key)) objects.set(key, fresh);
  return objects.get(key);
}
const shifted = (jumps, real) => jumps.reduce((time, jump) => (jump.at <= real ? time + jump.ms : time), real);
const time = (ctx, env, own, wokenAt = Date.now()) => ({
  now: () => shifted(own.jumps, Date.now()),
  heartbeatAt(socket) {
    if (env.SELF_HOSTED) return shifted(own.jumps, wokenAt);
    const at = ctx.getWebSocketAutoResponseTimestamp(socket);
    return at === null ? null : shifted(own.jumps, at.getTime());
  },
  setAlarm(at) {
    own.alarmAt = at;
    ctx.storage.setAlarm(at - (shifted(own.jumps, Date.now()) - Date.now()));
  },
  pause(ms, ended) {
    ctx.blockConcurrencyWhile(() => new Promise((resolve) => setTimeout(resolve, ms)).then(ended)).catch(() => {});
  },
});
export class Workspace extends Product {
  constructor(ctx, env) {
    const own = objectOf(ctx.id);
    own.constructions++;
    super(ctx, env, time(ctx, env, own));
    this.own = own;
  }
  fetch(request) {
    this.own.sockets++;
    return super.fetch(request);
  }
  webSocketMessage(socket, message) {
    this.own.messages++;
    return super.webSocketMessage(socket, message);
  }
  webSocketClose(socket, code, reason, wasClean) {
    this.own.ends++;
    return super.webSocketClose(socket, code, reason, wasClean);
  }
  webSocketError(socket) {
    this.own.ends++;
    return super.webSocketError(socket);
  }
  alarm() {
    this.own.alarms++;
    this.own.alarmAt = Infinity;
    return super.alarm();
  }
  ring() {
    this.ctx.storage.setAlarm(Date.now());
  }
  reset() {
    this.ctx.abort('forced by a test');
  }
  sql(statements) {
    return statements.map((statement) => this.ctx.storage.sql.exec(statement).toArray());
  }
}
export class Fleet extends ProductFleet {
  constructor(ctx, env) {
    objectOf('fleet').constructions++;
    super(ctx, env);
  }
  report(...told) {
    reports.push(told);
    if (objectOf('fleet').failing) throw new Error('forced by a test');
    return super.report(...told);
  }
}
function spied(env) {
  const getByName = (name, options) => {
    const own = objectOf(env.WORKSPACE.idFromName(name));
    if (own.failing) throw new Error('forced by a test: ' + name);
    own.hints.push(options?.locationHint ?? null);
    return env.WORKSPACE.getByName(name, options);
  };
  return { ...env, WORKSPACE: { getByName } };
}
const countsOf = (all) => ({
  constructions: all.reduce((sum, one) => sum + one.constructions, 0),
  sockets: all.reduce((sum, one) => sum + one.sockets, 0),
  messages: all.reduce((sum, one) => sum + one.messages, 0),
  alarms: all.reduce((sum, one) => sum + one.alarms, 0),
  hints: all.flatMap((one) => one.hints),
});
export default {
  async fetch(request, env, ctx) {
    const url = URL.parse(request.url, 'http://relay') ?? new URL('http://not-an-address/');
    const asked = url.searchParams.get('workspace');
    const own = () => objectOf(env.WORKSPACE.idFromName(asked));
    switch (url.pathname) {
      case '/test/counts':
        return Response.json(countsOf(asked === null ? [...objects.values()] : [own()]));
      case '/test/ends':
        return Response.json(own().ends);
      case '/test/advance':
        own().jumps.push({ at: Date.now(), ms: Number(url.searchParams.get('ms')) });
        if (own().alarmAt <= shifted(own().jumps, Date.now())) await env.WORKSPACE.getByName(asked).ring();
        return new Response();
      case '/test/reset':
        await env.WORKSPACE.getByName(asked).reset().catch(() => {});
        return new Response();
      case '/test/fail':
        own().failing = url.searchParams.get('on') === '1';
        return new Response();
      case '/test/fleet':
        if (url.searchParams.has('failing')) objectOf('fleet').failing = url.searchParams.get('failing') === '1';
        if (request.method === 'POST') {
          const fleet = env.FLEET.getByName('fleet');
          const told = await request.json();
          for (const [name, report] of Object.entries(told)) await fleet.report(name, Date.now(), report);
        }
        return Response.json({ constructions: objectOf('fleet').constructions, reports });
      case '/test/sql':
        return Response.json(await env.WORKSPACE.getByName(asked).sql(await request.json()));
      default:
        return app.fetch(request, spied(env), ctx);
    }
  },
};`;
