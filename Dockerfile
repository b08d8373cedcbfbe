# The bot with the embedding model's weights and runbooks/ indexed at build time: it answers as soon as it starts.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && rm -rf node_modules/onnxruntime-node/bin/*/darwin node_modules/onnxruntime-node/bin/*/win32
COPY tsconfig.json access.yaml ./
COPY src src
COPY scripts scripts
COPY runbooks runbooks
RUN DATA_DIR=/app/data node --max-semi-space-size=2 scripts/reindex.ts

FROM node:24-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/app/data
WORKDIR /app
COPY --from=build --chown=node:node /app /app
USER node
EXPOSE 3000
CMD ["node", "src/main.ts"]
