/** The kit: define tools, decide who may call them, serve them. Start reading at `tool.ts`, then `engine.ts`. */
export { administratorsOnly, teamOnly } from './availability.ts';
export {
  ALL_GRANTS,
  firstUncovered,
  intersectGrants,
  isGranted,
  isTeam,
  mayAdminister,
  unionGrants,
} from './caller.ts';
export type { Caller, Grants, Source } from './caller.ts';
export type { CatalogTool } from './catalog-tool.ts';
export type { TaskExchange } from './call.ts';
export type { Catalog } from './catalog.ts';
export { createCatalog } from './catalog.ts';
export { createChangeBus } from './changes.ts';
export type { Change, ChangeBus } from './changes.ts';
export { encodeCursor } from './cursor.ts';
export {
  asksCode,
  describeCatalog,
  describedCatalog,
  fitsDescription,
  mergeDescriptions,
} from './description.ts';
export type { CatalogDescription } from './description.ts';
export { OpenConnection } from './connection.ts';
export type { Connection } from './connection.ts';
export type { Context, JsonSchema, Question, RequestInfo } from './context.ts';
export { DueWork } from './due-work.ts';
export type { DueWorkOptions } from './due-work.ts';
export { hintsOf } from './effects.ts';
export type { Effect, Hints } from './effects.ts';
export { createEngine } from './engine.ts';
export type { Engine, EngineOptions } from './engine.ts';
export { isInputRequired } from './exchange.ts';
export type { Exchange, InputRequired } from './exchange.ts';
export type {
  Extension,
  ExtensionListen,
  ExtensionMethod,
  ExtensionNotice,
  ExtensionSubscription,
} from './extension.ts';
export { errorResult, ERROR_CODE_META_KEY, httpStatusOf, ProtocolFault, RPC, ToolError } from './errors.ts';
export type { SharedErrorCode } from './errors.ts';
export { isSupported, Leave, noInteraction } from './interaction.ts';
export type {
  ClientCapabilities,
  InputRequest,
  InputResponse,
  Interaction,
  LogLevel,
  StepOptions,
} from './interaction.ts';
export { nulIn, pathOfNul } from './json-path.ts';
export { createListing, instructionsOf } from './listing.ts';
export type { ListedCatalog, ListedTool, Listing } from './listing.ts';
export type { Middleware, ResourceRead, ToolCall } from './middleware.ts';
export { defineOutsideTool } from './outside-tool.ts';
export type { OutsideTool } from './outside-tool.ts';
export { checkParamHeaders, decodeHeaderValue } from './param-headers.ts';
export { definePrompt } from './prompt.ts';
export type { Prompt } from './prompt.ts';
export { capabilitiesOf } from './protocol/capabilities.ts';
export type { ServerInfo } from './protocol/server.ts';
export type { CallRecord, Observer } from './record.ts';
export { requestInfo } from './request-info.ts';
export { createStateSealer } from './request-state.ts';
export type { StateSealer } from './request-state.ts';
export type { HiddenReason } from './resolver.ts';
export { defineResource } from './resource.ts';
export type { Resource, ResourceContent } from './resource.ts';
export type { RouteSet } from './routes.ts';
export { serveStdio } from './serve-stdio.ts';
export { stepBusy } from './steps.ts';
export type { StepScope, StepStore } from './steps.ts';
export type { CreatedTask, TaskCall, TaskSeam } from './task-seam.ts';
export { defineTool, defineToolFor } from './tool.ts';
export type { AnyTool, Tool } from './tool.ts';
export { isToolResult } from './tool-answer.ts';
export type { ToolAnswer } from './tool-answer.ts';
export { defineToolset, install } from './toolset.ts';
export type { AnyToolset, Installed, Toolset } from './toolset.ts';
export { typeId } from './type-id.ts';
export { describeIssues, issuesByField } from './validation.ts';
export type { ToolPage } from './view.ts';
