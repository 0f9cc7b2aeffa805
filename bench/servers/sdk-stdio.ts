/** Owns the plain SDK server over stdio, the anchor of the cold start. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { benchTools } from '../tools.ts';
import { sdkServer } from './sdk-tools.ts';

const tools = benchTools(Number(process.argv[2] ?? 100));
serveStdio(() => sdkServer(tools));
