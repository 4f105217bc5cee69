module coracle.dev/coracle

go 1.19
