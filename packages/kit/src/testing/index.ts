/** Testing tools: a typed in-memory client over the real protocol, callers, scenario tables, a source of another kind. */
export { testCaller } from './callers.ts';
export { connect } from './connect.ts';
export type { Answers, Attempt, ConnectOptions, TestClient } from './connect.ts';
export { clientOver } from './over-transport.ts';
export { scriptedSource } from './scripted-source.ts';
export type { ScriptedSource } from './scripted-source.ts';
export { scenarios } from './scenarios.ts';
export type { Runner, Scenario } from './scenarios.ts';
export { makeCertificate } from '../egress/testing/certificate.ts';
