import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

import { z } from "zod";

import type { AccessPolicy } from "../access/access-policy.ts";
import { createServiceMatcher } from "../access/match-runbook-path.ts";
import type { RunbookDocument, RunbookMetadata } from "../domain.ts";
import { parseWithLinks, type MarkdownBlock } from "../markdown/parse-markdown.ts";
import { decodeRunbook } from "./decode-runbook.ts";
import type { FileProblem, LeftOut } from "./indexing-report.ts";
import { findAdvice } from "./find-advice.ts";
import { lineAt } from "./line-at.ts";
import type { RunbookFile } from "./list-runbooks.ts";
import { readFrontMatter, type FrontMatter } from "./read-front-matter.ts";
import { readHeader, type HeaderLines } from "./read-header-lines.ts";
import { readTitle } from "./read-title.ts";

/** A parsed runbook. Offsets of `blocks` count from the start of the whole text, front matter included. */
export interface LoadedRunbook {
  readonly document: RunbookDocument;
  readonly blocks: readonly MarkdownBlock[];
}

export type LoadResult =
  | {
      readonly kind: "loaded";
      readonly runbook: LoadedRunbook;
      readonly warnings: readonly FileProblem[];
      readonly advice: readonly FileProblem[];
    }
  /** Its bytes and its service are those of the published index: nothing was parsed. */
  | { readonly kind: "unchanged"; readonly metadata: RunbookMetadata }
  | { readonly kind: "failed"; readonly failure: FileProblem }
  | { readonly kind: "left_out"; readonly leftOut: LeftOut };

export type LoadRunbook = (file: RunbookFile) => Promise<LoadResult>;

/** A larger file is no runbook that anybody reads at night; 3 MB parse in about a second. */
const LARGEST_FILE_BYTES = 8 * 1024 * 1024;
const NOT_CURRENT = new Set(["archived", "deprecated", "superseded"]);

const FrontMatterFields = z.object({
  title: z.coerce.string().optional().catch(undefined),
  service: z.string().optional().catch(undefined),
  owner: z.string().optional().catch(undefined),
  draft: z.union([z.boolean(), z.string()]).optional().catch(undefined),
  status: z.string().optional().catch(undefined),
  last_reviewed: z.unknown().optional(),
  last_reviewed_on: z.unknown().optional(),
  updated: z.unknown().optional(),
});

/**
 * Gives the step that reads one file: decode, front matter, title, and the service from the access file's paths.
 * `published`, by path, are runbooks that were read under the same access file by the same version of this step.
 */
export function createLoader(
  policy: AccessPolicy,
  published: ReadonlyMap<string, RunbookMetadata> = new Map(),
): LoadRunbook {
  const servicesOf = createServiceMatcher(policy.services.values());

  return async (file) => {
    const fail = (reason: string, line: number | null = null): LoadResult => ({
      kind: "failed",
      failure: { path: file.path, line, reason },
    });
    const services = servicesOf(file.path);
    const [service] = services;
    if (service === undefined)
      return fail("matches no service; add its path to a service's runbooks in the access file");
    if (services.length > 1) return fail(`matches several services (${services.join(", ")}); narrow their globs`);

    const bytes = await readFile(file.absolutePath).catch((error: NodeJS.ErrnoException) => error);
    if (bytes instanceof Error) return fail(`can't be read (${bytes.code ?? "unknown"}); check its permissions`);
    if (bytes.length > LARGEST_FILE_BYTES)
      return fail(`is too large (${bytes.length} bytes, limit ${LARGEST_FILE_BYTES})`);
    const contentHash = createHash("sha256").update(bytes).digest("hex");
    const known = published.get(file.path);
    if (known?.contentHash === contentHash && known.service === service) return { kind: "unchanged", metadata: known };

    const decoded = decodeRunbook(bytes);
    if ("failure" in decoded) return fail(decoded.failure);
    const { text } = decoded;
    if (text.trim() === "") return fail("the file is empty");
    const frontMatter = readFrontMatter(text);
    if ("failure" in frontMatter) return fail(frontMatter.failure, frontMatter.line);

    const fields = FrontMatterFields.parse(frontMatter.values);
    const reason = notCurrent(fields);
    if (reason !== null) return { kind: "left_out", leftOut: { path: file.path, reason } };

    const { blocks, links } = parseBody(text, frontMatter);
    const header = readHeader(text, blocks, frontMatter);
    const claim = judgeServiceClaim(policy, service, header);
    if (claim?.kind === "failure") return fail(claim.reason, header.serviceLine);

    const title = readTitle(text, blocks, fields.title, file.path);
    const warnings = [
      ...frontMatter.warnings,
      ...(claim ? [{ line: header.serviceLine, reason: claim.reason }] : []),
      ...(title.warning === null ? [] : [{ line: null, reason: title.warning }]),
      ...findUnclosedFences(text, blocks),
    ];
    const metadata = {
      sourceId: file.sourceId,
      path: file.path,
      title: title.text,
      service,
      contentHash,
      owner: header.owner,
      lastReviewed: readDate(fields.last_reviewed ?? fields.last_reviewed_on ?? fields.updated),
    };
    return {
      kind: "loaded",
      runbook: { document: { pageContent: text, metadata }, blocks },
      warnings: warnings.map((warning) => ({ path: file.path, ...warning })),
      advice: findAdvice(text, blocks, links, file),
    };
  };
}

function notCurrent(fields: z.infer<typeof FrontMatterFields>): string | null {
  if (fields.draft === true || fields.draft === "true") return "draft";
  const status = fields.status?.trim().toLowerCase() ?? "";
  return NOT_CURRENT.has(status) ? status : null;
}

/** The body's blocks, with the front matter blanked out so that offsets stay those of the file. */
function parseBody(text: string, { end }: FrontMatter) {
  return parseWithLinks(end === 0 ? text : text.slice(0, end).replace(/[^\r\n]/g, " ") + text.slice(end));
}

/** A header never decides the service; it may agree, disagree (a failure) or name something unknown (a warning). */
function judgeServiceClaim(policy: AccessPolicy, service: string, header: HeaderLines) {
  if (header.service === null || header.service.toLowerCase() === service.toLowerCase()) return null;
  const claimed = header.service;
  const own = policy.services.get(service)?.aliases ?? [];
  if (own.some((alias) => alias.toLowerCase() === claimed.toLowerCase())) return null;
  const other = [...policy.services.keys()].find((name) => name.toLowerCase() === claimed.toLowerCase());
  return other === undefined
    ? { kind: "warning" as const, reason: `names the service ${claimed}, which the access file does not know` }
    : {
        kind: "failure" as const,
        reason: `says service ${other}, but its path belongs to ${service} in the access file; they disagree: correct one`,
      };
}

function findUnclosedFences(text: string, blocks: readonly MarkdownBlock[]): { line: number; reason: string }[] {
  return blocks.flatMap((block) => {
    if (block.kind === "code" && !block.closed) {
      return [{ line: lineAt(text, block.from), reason: "a code fence is never closed; everything below it is code" }];
    }
    if (block.kind === "list") return block.items.flatMap((item) => findUnclosedFences(text, item.blocks));
    return [];
  });
}

function readDate(value: unknown): string | null {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString().slice(0, 10);
  return typeof value === "string" && /^\d{4}-\d{2}(-\d{2})?/.test(value) ? value.slice(0, 10) : null;
}
