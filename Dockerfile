# syntax=docker/dockerfile:1
# One image: the server, talking to a PostgreSQL that CALLSHEET_DATABASE__URL names (compose.yaml has one).
FROM python:3.12-slim AS build
WORKDIR /src
COPY requirements/bootstrap.lock requirements/runtime.lock requirements/
RUN python -m venv /app \
 && /app/bin/pip install --no-cache-dir --require-hashes -r requirements/bootstrap.lock \
 && /app/bin/uv pip install --python /app/bin/python --no-cache --compile-bytecode \
        --require-hashes -r requirements/runtime.lock
COPY pyproject.toml README.md LICENSE alembic.ini ./
COPY backend backend
COPY config config
COPY crews crews
COPY alembic alembic
COPY sandbox sandbox
RUN /app/bin/uv pip install --python /app/bin/python --no-cache --compile-bytecode \
        --no-deps --no-build-isolation .

FROM python:3.12-slim
RUN useradd --system --uid 10001 --create-home callsheet \
 && install -d -o callsheet -g callsheet /data /srv/callsheet
COPY --from=build /app /app
ENV PATH=/app/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CALLSHEET_DATA_DIR=/data \
    CALLSHEET_SERVER__HOST=0.0.0.0
# Mount your own config/ and crews/ into /srv/callsheet to edit them; else those of the package are used.
WORKDIR /srv/callsheet
USER callsheet
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health/live', timeout=2)"]
CMD ["callsheet", "serve"]
