# The server in a small image, alone or in a cluster: docker build -t cabochon . && docker run -p 8765:8765 -v cabochon:/data cabochon
FROM node:24-slim AS client
WORKDIR /build
COPY web/package.json web/package-lock.json web/
RUN cd web && npm install --omit=dev --no-save --no-audit --no-fund
COPY web web
RUN cd web && npm run --silent bundle

FROM python:3.13-slim AS install
RUN pip install --no-cache-dir uv
WORKDIR /build
COPY pyproject.toml hatch_build.py constraints.txt README.md LICENSE ./
COPY scripts/client.py scripts/bitcode.py scripts/
COPY web web
COPY src src
COPY --from=client /build/src/cabochon/server/static src/cabochon/server/static
# The client is newer than its sources, so the build does not ask for Node.
# The build constraints: bitcode made with another NumPy than the server has is of no use.
RUN find src/cabochon/server/static -exec touch {} + && uv venv /app && \
    uv pip install --no-cache --compile-bytecode --python /app/bin/python \
    --constraint constraints.txt --build-constraint constraints.txt ".[play,cluster]"

FROM python:3.13-slim
RUN useradd --create-home --uid 1000 cabochon && mkdir /data /cache && chown cabochon /data /cache && chmod 700 /data /cache
COPY --from=install /app /app
USER cabochon
ENV PATH=/app/bin:$PATH PYTHONUNBUFFERED=1 NUMBA_CACHE_DIR=/cache \
    CABOCHON_HOST=0.0.0.0 CABOCHON_DATABASE=sqlite:////data/games.db
# Compiled when the image is built, for the processor it is built on; on another one the first start compiles again.
RUN python -c "import cabochon; print(f'compiled in {cabochon.warm_up():.0f} s')"
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/api/ready', timeout=4)"]
CMD ["cabochon", "play", "--port", "8765", "--no-browser"]
