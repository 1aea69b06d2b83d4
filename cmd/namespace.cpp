namespace s3tug::cmd {}
